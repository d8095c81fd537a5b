# Arabic, as it is written everywhere. Arabic has six plural forms.

### Every page

## The frame of each page

console-title = لوحة التحكم
console-skip = الانتقال إلى المحتوى
console-desk = مكتب الدعم
console-search = بحث
console-search-for = عنوان، اسم، شركة، طلب، مرجع، دورة، رمز
console-other-shop = متجر آخر
console-sign-out = تسجيل الخروج
console-zone = الأيام والأوقات بتوقيت { $zone }.

## Links below a long list

console-pages = الصفحات
console-previous = السابق
console-page = الصفحة { $n }
console-next = التالي

## Moments and times

console-age-now = منذ أقل من دقيقة
console-age-minutes = { PLURAL($n) ->
    [one] منذ دقيقة
    [two] منذ دقيقتين
    [few] منذ { $n } دقائق
    [many] منذ { $n } دقيقة
   *[other] منذ { $n } دقيقة
}
console-age-hours = { PLURAL($n) ->
    [one] منذ ساعة
    [two] منذ ساعتين
    [few] منذ { $n } ساعات
    [many] منذ { $n } ساعة
   *[other] منذ { $n } ساعة
}
console-age-days = { PLURAL($n) ->
    [one] منذ يوم
    [two] منذ يومين
    [few] منذ { $n } أيام
    [many] منذ { $n } يومًا
   *[other] منذ { $n } يوم
}
console-since = منذ { $date }

## Words that are headings of columns, names of fields, or buttons

console-action = الإجراء
console-address = العنوان
console-addresses = العناوين
console-amount = المبلغ
console-budget = الميزانية
console-buyer = المشتري
console-campaign = الحملة
console-change = تعديل
console-code = الرمز
console-course = الدورة
console-courses = الدورات
console-filter = تصفية
console-mode = النمط
console-note = ملاحظة
console-order = الطلب
console-orders = الطلبات
console-placed = تاريخ الطلب
console-price = السعر
console-reason = السبب
console-refunded = المبلغ المسترد
console-row = الصف
console-rows = الصفوف
console-save = حفظ
console-status = الحالة
console-tax = الضريبة
console-total = المجموع
console-url = عنوان URL
console-uses = مرات الاستخدام
console-uses-in-all = مرات الاستخدام إجمالًا
console-uses-by-one = مرات الاستخدام لكل مشترٍ
console-takes-off = قيمة الخصم
console-taken-off = إجمالي الخصم
console-valid-from = صالحة من
console-valid-until = صالحة حتى
console-no-end = دون تاريخ انتهاء
console-no-limit = دون حد
console-ended = منتهية
console-of = { $part } من { $whole }
console-last-30-days = آخر 30 يومًا

## What several pages say

console-will-happen = ما سيحدث
console-on-record = يُسجَّل ذلك باسمك، { $name }.
console-show-first = عرض ما سيحدث
console-ask-platform = إعادة المحاولة لدى منصة الدورات
console-look-again = التحقق مجددًا
console-progress = التقدّم
console-done-of = اكتمل { $done } من { $total }.
console-done-and-failed = اكتمل { $done } من { $total }، وفشل { $failed }.

### Stored words, each as a tag or in a column

## Status of an order


## Status of a person's access to a course

access-status-enrolled = مسجّل
access-status-pending-registration = في انتظار إنشاء الحساب
access-status-removed = أُزيل
access-status-refused = مرفوض
access-status-cancelled = ملغى
access-status-none = لا يوجد

## Status of a payment

payment-status-created = أُنشئت
payment-status-processing = قيد المعالجة
payment-status-succeeded = ناجحة
payment-status-failed = فاشلة
payment-status-cancelled = ملغاة
payment-status-superseded = حلّت محلها أخرى
payment-status-refunded = مستردة

## Status of a refund

refund-status-asked = مطلوب
refund-status-accepted = مقبول
refund-status-succeeded = ناجح
refund-status-failed = فاشل

## Status of a dispute at the buyer's bank

dispute-status-open = مفتوح
dispute-status-won = كُسب
dispute-status-lost = خُسر

## Status of a withdrawal

withdrawal-status-received = في الانتظار
withdrawal-status-unmatched = لا يطابق أي طلب
withdrawal-status-accepted = مقبول
withdrawal-status-refused = مرفوض

## Status of a row of a batch, and of the batch

row-status-waiting = في الانتظار
row-status-done = تم
row-status-failed = فشل
batch-status-running = قيد التنفيذ
batch-status-done = مكتملة

## Status of a seat that an address has

seat-status-pending = في انتظار إنشاء الحساب
seat-status-enrolled = مسجّل
seat-status-ended = انتهى

## Status of a voucher's use

use-status-held = في انتظار الدفع
use-status-used = مستخدَم
use-status-released = أُعيد
use-status-late = دُفع متأخرًا

## Status of an event's delivery to an endpoint

delivery-status-waiting = في الانتظار
delivery-status-delivered = سُلّم
delivery-status-given-up = تُرك بعد عدة محاولات

## What a row of a batch does

action-enroll = تسجيل
action-unenroll = إلغاء التسجيل

## What a voucher takes off

voucher-kind-percent = نسبة مئوية
voucher-kind-amount = مبلغ
voucher-kind-seat = مقعد

## Movements of money, in reports

movement-captured = دفعة
movement-refunded = استرداد
movement-refund-failed = استرداد فاشل
movement-chargeback = استرجاع عبر المصرف
movement-chargeback-reversed = إلغاء استرجاع عبر المصرف
movement-moved = نقل
movement-fee = رسوم
movement-payout = تحويل إلى المصرف

## Documents

document-kind-invoice = فاتورة
document-kind-credit-note = إشعار دائن
document-status-requested = مطلوب
document-status-issued = صادر
document-status-refused = مرفوض
document-status-cancelled = ملغى

## Mails to buyers and learners

mail-kind-receipt = إيصال
mail-kind-invoice = فاتورة
mail-kind-invoice-cancelled = إلغاء الفاتورة
mail-kind-invoice-corrected = الفاتورة المصحّحة
mail-kind-access-moved = النقل
mail-kind-transfer-requested = كيفية الدفع
mail-kind-document-again = رابط المستند
mail-kind-document-follows = مستند أُرسل لاحقًا
mail-kind-refund-issued = استرداد
mail-kind-registration-invitation = دعوة
mail-kind-seats-ready = مقاعد
mail-kind-seat-assigned = مقعد
mail-kind-withdrawal-received = استلام العدول
mail-kind-withdrawal-refused = رفض العدول

## What of an order the text of a search was

found-by-order = الطلب
found-by-payment = الدفعة
found-by-refund = الاسترداد
found-by-dispute = النزاع
found-by-document = المستند
found-by-reference = رقم الطلب لدى المشتري
found-by-transfer = مرجع المصرف
found-by-course = الدورة
found-by-address = العنوان
found-by-name = الاسم
found-by-company = الشركة
found-by-tax-id = الرقم الضريبي

## Roles of the staff

role-support = الدعم
role-finance = المالية
role-manager = الإدارة

### The start page

start-title = الرئيسية
start-heading = بحاجة إلى تدخّل
start-nothing = لا شيء في انتظارك.
start-decide = اتخاذ قرار …
start-decide-text = إذا أُعيدت معالجتها، نُفّذ ما تعذّر تنفيذه من قبل. وإذا حُذفت، فلا يمكن استعادتها ولن يحدث ما كان مطلوبًا منها.
start-process-again = إعادة المعالجة
start-drop = حذف نهائي
start-mail-again = إعادة إرسال الرسالة
start-open-withdrawal = فتح العدول
start-open-invoice = فتح طلب الفاتورة
start-open-events = فتح الأحداث
start-open-order = فتح الطلب
start-open-person = فتح صفحة الشخص
start-today = اليوم
start-paid = المدفوع
start-orders = { PLURAL($n) ->
    [zero] لا طلبات
    [one] طلب واحد
    [two] طلبان
    [few] { $n } طلبات
    [many] { $n } طلبًا
   *[other] { $n } طلب
}
start-no-money = لا حركات مالية منذ منتصف الليل.
owed-title = غير المسدَّد
owed-text = الطلبات التي لم يُسدَّد تحويلها أو فاتورتها بعد، والأقدم استحقاقًا أولًا.
owed-open = المتبقي
owed-overdue = المتأخر
owed-how = الدفع
owed-on-account = بالآجل
owed-none = لا شيء غير مسدَّد.
owed-pending-text = دفعات ما زال مزوّد الدفع يعالجها، مثل الخصم المباشر، وأقدم الطلبات أولًا.
owed-until = طلبات حتى نهاية { $month }.
owed-all = عرض الكل
owed-placed = تاريخ الطلب
owed-at-provider = لدى مزوّد الدفع

## The chart of orders by day

start-chart = الطلبات في آخر 30 يومًا: المدفوعة { $up }، والمنتهية دون دفع { $down }؛ وأكبر عدد في يوم واحد { $most }
start-chart-day = { $day }: المدفوعة { $up }، والمنتهية دون دفع { $down }
start-chart-up = المدفوعة: { $n }
start-chart-down = المنتهية دون دفع: { $n }

## Tags: what waits for a person

waiting-kind-payment = دفعة
waiting-kind-notification = إشعار
waiting-kind-access = وصول
waiting-kind-enrollment = تسجيل
waiting-kind-refund = استرداد
waiting-kind-refund-to-pay = استرداد
waiting-kind-overdue = متأخر السداد
waiting-kind-invoice = فاتورة
waiting-kind-document = مستند
waiting-kind-withdrawal = عدول
waiting-kind-mail = بريد
waiting-kind-endpoint = نقطة نهاية
waiting-kind-dead-letter = رسالة نظام

## What waits for a person, and what to do about it

waiting-payment = الدفعة بحاجة إلى قرار. اقرأ السبب واتخذ الإجراء، ثم أغلق التنبيه.
waiting-notification = إشعار مزوّد الدفع يناقض السجل. قارنه بما في لوحة تحكم المزوّد.
waiting-access = الطلب مدفوع، ولم تُفتح دوراته بعد.
waiting-enrollment = رفضت منصة الدورات التسجيل. عالج السبب هناك، ثم أعد المحاولة هنا.
waiting-refund = لم يُجب مزوّد الدفع عن الاسترداد بعد. سيُسأل مجددًا تلقائيًا.
waiting-refund-to-pay = أعد المبلغ عبر مصرفك، ثم سجّل أنه وصل أو أنه عاد.
waiting-overdue = حلّ موعد السداد ولم يصل المبلغ. ذكّر المشتري، أو سجّل ما وصل، أو ألغِ الطلب.
waiting-invoice = يطلب الدعم فاتورة مصحّحة تُرد معها الضريبة. أكّدها أو ارفضها.
waiting-document = لم يُصدر نظام آخر المستند منذ يوم. اسأل هناك، أو أبلغ بما يقوله.
waiting-withdrawal = أعلن مشترٍ العدول. اقبله، أو ردّ جزءًا من المبلغ، أو ارفضه مع ذكر السبب؛ يُستحق رد المبلغ بعد 14 يومًا من الإعلان.
waiting-mail = لم تصل الرسالة. صحّح العنوان أو أعد الإرسال.
waiting-endpoint = لم تعد الأحداث تُسلَّم إلى هذا العنوان. أصلح الطرف المستقبِل، ثم فعّل العنوان.
waiting-dead-letter = تعذّرت معالجة رسالة نظام. عالج السبب ثم أعد معالجتها؛ ولا تحذفها إلا إذا كان المطلوب ألا يحدث شيء.

### Where do you work: for a person on the staff of several shops

choose-title = أين تعمل اليوم؟
choose-hello = مرحبًا { $name }. أنت ضمن فريق عمل هذه المؤسسات.

### What a search has found

search-results = نتائج البحث عن «{ $text }»
search-short = اكتب حرفين على الأقل: عنوانًا، أو جزءًا من اسم أو شركة على فاتورة، أو رقمها الضريبي، أو طلبًا، أو رقم مستند، أو رقم الطلب لدى المشتري، أو مرجع تحويل أو مرجعًا لدى مصرفك أو لدى مزوّد الدفع، أو رمز قسيمة، أو اسم دورة أو معرّفها.
search-none = لا شيء لدى { $organisation } يطابق هذا. جرّب العنوان كاملًا، أو ثلاثة أحرف على الأقل من الاسم أو الشركة على الفاتورة. لا تظهر هنا طلبات المتاجر الأخرى.
search-voucher = قسيمة
search-course = دورة
search-found-by = مكان التطابق
search-more = هناك نتائج أخرى. أضف إلى النص لتضييق البحث.

### An order

order-title = طلب { $email }
order-placed = قُدّم في { $date }
order-former-shop = باعه { $shop } قبل نقله إلى هنا: سجل بلا إجراءات. تُطلب المبالغ المستردة والإيصالات هناك.
order-former-shop-account = باعه { $shop } قبل نقله إلى هنا. دُفع ثمنه عبر حساب { $provider } المستخدم هنا، لذا يمكن رد مبلغه من هنا. تُطلب الإيصالات هناك.
order-alert = الدفعة بحاجة إلى قرار
order-alert-done = الإجراء الذي اتُّخذ
order-alert-close = إغلاق التنبيه
order-bought = المشتريات
order-lines = البنود
order-line = البند
order-access = الوصول
order-seats = { PLURAL($n) ->
    [one] مقعد واحد
    [two] مقعدان
    [few] { $n } مقاعد
    [many] { $n } مقعدًا
   *[other] { $n } مقعد
}
order-gift = هدية
order-gift-given = سُلّمت في { $date }
order-gift-planned = ليوم { $date }
order-is-moving = جارٍ النقل إلى { $course }
order-is-moving-to-person = جارٍ النقل إلى شخص آخر
order-moved = نُقل إلى { $course }
order-moved-to-person = نُقل إلى شخص آخر
order-total-with-voucher = المجموع مع القسيمة { $code }

## Refund

order-refund = رد المبلغ …
order-refund-text = حدّد البنود أعلاه لرد مبالغها وإنهاء الوصول إليها، أو لا تحدّد أيًّا منها لرد مبلغ الطلب كله. تعرض الصفحة التالية ما سيحدث قبل تنفيذ أي شيء.
order-refund-amount = المبلغ، إن كان أقل
order-refund-all-left = كل المتبقي
order-refund-keep = بادرة حسن نية: رد المبلغ دون إنهاء أي وصول

## Move

order-move = نقل …
order-move-text = يمنح البند الوصول إلى دورة أخرى، أو يمنح وصوله لشخص آخر. لا يُدفع مال ولا يُرد، وتبقى الفاتورة كما هي. تعرض الصفحة التالية ما سيحدث.
order-move-course = إلى الدورة
order-move-person = إلى الشخص صاحب العنوان

## Access: what the course platform says about it

order-withdrawals = حالات العدول
order-platform-agrees = أكّدته منصة الدورات
order-platform-refused = رفضته منصة الدورات
order-platform-waits = تنتظر منصة الدورات أن يُنشئ الشخص حسابًا
order-platform-not-yet = لم تؤكّده منصة الدورات بعد
order-access-ended = انتهى في { $date }:

## Money, mails and documents

order-money-back = المبالغ المعادة
order-refund-to-pay = أعد المبلغ عبر مصرفك، ثم سجّل ما حدث.
order-refund-arrived = وصل المبلغ
order-refund-back = عاد المبلغ
order-dispute = نزاع لدى المصرف على { $amount }
order-payment = الدفع
order-transfer = تحويل مصرفي
order-transfer-reference = مرجع الدفع
order-transfer-due = تاريخ الاستحقاق
order-transfer-open = المبلغ المتبقي
order-payment-book = تسجيل دفعة …
order-payment-text = سجّل ما يظهره مصرفك. عند وصول { $amount } كاملةً تُفتح الدورات ويستلم المشتري الإيصال.
order-payment-day = اليوم في المصرف
order-payment-reference = المرجع في المصرف
order-payment-submit = تسجيل هذه الدفعة
order-payment-is-back = أُعيد
order-payment-return-text = أعد { $amount } عبر مصرفك أولًا. بعد ذلك لا يُحسب هذا المبلغ.
order-payment-return = أُعيد المبلغ
order-payment-end = إنهاء الطلب …
order-payment-end-text = لم يصل أي مبلغ لهذا الطلب. تصبح قسيمته ومقاعده متاحة لغيره. إذا وصل تحويل رغم ذلك فسيُقبل مع تنبيه.
order-payment-end-submit = إنهاء هذا الطلب
order-document-report = الإبلاغ عن النتيجة …
order-document-text = أبلغ بما يقوله النظام الآخر.
order-document-number = الرقم
order-document-day = التاريخ على المستند
order-document-total = الإجمالي
order-document-authority = نظام الجهة الرسمية
order-document-qr = محتوى رمز QR
order-document-issued = صدر المستند
order-document-refused = رُفض المستند
order-document-cancel = أُلغي { $number } …
order-document-cancel-text = فقط إذا أُلغي لدى الجهة التي أصدرته. لا يبقى للطلب هذا المستند إلى أن يُطلب من جديد.
order-document-cancelled = أُلغي المستند
order-document-anew = طلبه من جديد
order-invoice-on-account = بالآجل: صدرت الفاتورة قبل الدفع.
order-invoice-overdue = متأخرة السداد
order-invoice-cancel = إلغاء الفاتورة …
order-invoice-cancel-text = لم يصل أي مبلغ لها. يلغي إشعار دائن الفاتورة وينتهي الوصول إلى الدورات. إذا وصل تحويل رغم ذلك فأعده.
order-invoice-cancel-submit = إلغاء هذه الفاتورة
order-reverse-charge-applied = الاحتساب العكسي: أكّد نظام VIES الرقم الضريبي، برقم الاستعلام { $number }.
order-reverse-charge-invalid = فُرضت الضريبة: لا يعرف نظام VIES الرقم الضريبي.
order-reverse-charge-unavailable = فُرضت الضريبة: لم يُجب نظام VIES عمّا إذا كان الرقم الضريبي صالحًا.
order-provider = مزوّد الدفع
order-reference = المرجع
order-at-bank-since = قيد المعالجة لدى المصرف منذ
order-disputed = تاريخ النزاع
order-mails = الرسائل والمستندات
order-mail = { $mail } إلى { $email }
order-mail-failed = فشل الإرسال
order-mail-waits = في الانتظار
order-mail-sent = أُرسلت
order-mail-deferred = أرجأها الخادم
order-mail-delivered = سُلّمت
order-mail-again = إعادة الإرسال
order-no-mails = لا شيء في الانتظار. تجد الرسائل المرسلة في سجل الطلب.
order-receipt-again = إعادة إرسال الإيصال إلى { $email }
order-invoice-again = إعادة إرسال الفاتورة إلى { $email }
order-invoice-correct = تصحيح الفاتورة …
order-invoice-asked = طُلبت من المالية فاتورة مصحّحة
order-invite-again = إعادة إرسال الدعوة إلى { $email }
order-correct-address = تصحيح العنوان …
order-correct-address-text = لضيف أخطأ في كتابة عنوانه. ينتقل كل ما ينتظر { $email } إلى العنوان الجديد، ويُدعى صاحبه إلى إنشاء حساب إن لم يكن لديه حساب. تبقى الفاتورة كما هي.
order-right-address = العنوان الصحيح
order-correct-address-submit = نقل الطلب إلى هذا العنوان

## The history: each entry is a sentence, and who did it

order-history = سجل الطلب
order-by = بواسطة { $name }
timeline-by-system = النظام
timeline-by-client = المتجر
timeline-by-guest = المشتري، كضيف
timeline-by-learner = المشتري، بعد تسجيل الدخول
timeline-by-provider = مزوّد الدفع
timeline-by-staff = أحد الموظفين (الحساب { $id })
timeline-by-operator = { $name } (مشغّل النظام)
timeline-by-key = مفتاح المؤسسة { $id }

timeline-cart-open = أُنشئت السلة.
timeline-cart-placed = قُدّم الطلب.
timeline-cart-pending-payment = قُدّم الطلب، وهو في انتظار الدفع.
timeline-cart-held = قُدّم الطلب، وستُفتح دوراته فور إنشاء حساب بهذا العنوان.
timeline-cart-paid = دُفع الطلب.
timeline-cart-fulfilled = اكتمل الطلب: مُنح الوصول.
timeline-cart-cancelled = أُلغي الطلب.
timeline-cart-expired = انتهت صلاحية الطلب دون دفع.
timeline-cart-refunded = انتهى الطلب: أُعيد المال كله.
timeline-cart-invoice-corrected = صُحّح المشتري في الفاتورة.
timeline-cart-document-issued = أُبلغ عن إصدار مستند.
timeline-cart-document-refused = رُفض مستند.
timeline-cart-document-cancelled = أُلغي مستند لدى الجهة التي أصدرته.
timeline-cart-document-replaced = طُلب من جديد مستند رُفض أو أُلغي.
timeline-cart-invoice-asked = طُلبت من المالية فاتورة مصحّحة.
timeline-cart-invoice-refused = رفضت المالية الفاتورة المصحّحة.
timeline-cart-invoice-paid = سُدِّدت الفاتورة.
timeline-cart-restored = أُعيد الوصول.
timeline-cart-access-blocked = ينتظر الوصول تدخّل شخص.
timeline-cart-access-restored = عاد الوصول الذي يقوم عليه هذا الطلب، فمُنح.
timeline-cart-mail-sent = أُرسلت رسالة «{ $mail }».
timeline-cart-mail-again = أُعيد إرسال رسالة «{ $mail }».
timeline-cart-move-asked = طُلب النقل من { $from } إلى { $to }.
timeline-cart-move-withdrawn = سُحب طلب النقل إلى { $to }.
timeline-cart-moved = انتقل الوصول من { $from } إلى { $to }.
timeline-cart-moved-to-person = أصبح الوصول إلى { $to } لشخص آخر.
timeline-cart-address-corrected = صُحّح عنوان المشتري.
timeline-alert-closed = أُغلق التنبيه: { $alert }.
timeline-transaction-created = جُهّزت الدفعة.
timeline-transaction-processing = بدأت الدفعة لدى مزوّد الدفع.
timeline-transaction-succeeded = وصلت الدفعة.
timeline-transaction-failed = فشلت الدفعة.
timeline-transaction-cancelled = أُلغيت الدفعة.
timeline-transaction-superseded = حلّت محاولة أخرى محل الدفعة.
timeline-transaction-refunded = رُدّت الدفعة كاملة.
timeline-transaction-partly-refunded = رُدّ من الدفعة حتى الآن { $refunded }.
timeline-transaction-lost = استعاد المصرف من الدفعة { $lost }.
timeline-transaction-held = يحجز نزاع { $lost } من الدفعة.
timeline-transaction-refunded-and-lost = رُدّ من الدفعة { $refunded }، واستعاد المصرف { $lost }.
timeline-transaction-nothing-back = لم يعد أي جزء من الدفعة مردودًا أو مستعادًا.
timeline-transaction-charged = حصّل المزوّد مبلغًا غير مبلغ الطلب.
timeline-transaction-received = وصل { $amount } إلى المصرف.
timeline-transaction-returned = أُعيد { $amount } عبر المصرف.
timeline-transaction-event-applied = طُبّق إشعار كان يناقض البيانات.
timeline-refund-asked = طُلب الاسترداد.
timeline-refund-accepted = قبل مزوّد الدفع الاسترداد.
timeline-refund-succeeded = اكتمل الاسترداد.
timeline-refund-failed = فشل الاسترداد.
timeline-withdrawal-objected = قال صاحب عنوان الطلب إنه لم يعلن هذا العدول.
timeline-withdrawal-received = أُعلن العدول.
timeline-withdrawal-unmatched = أُعلن العدول بعنوان آخر.
timeline-withdrawal-accepted = قُبل العدول.
timeline-withdrawal-refused = رُفض العدول.
timeline-the-course = الدورة
timeline-enrollment-enrolled = { $course }: مُنح الوصول.
timeline-enrollment-pending-registration = { $course }: في انتظار إنشاء حساب بهذا العنوان.
timeline-enrollment-removed = { $course }: انتهى الوصول.
timeline-enrollment-synced = { $course }: أكّدت منصة الدورات ذلك.
timeline-enrollment-refused = { $course }: رفضت منصة الدورات ذلك.
timeline-enrollment-retried = { $course }: تُعاد محاولة التسجيل.
timeline-notification = أبلغ مزوّد الدفع عن { $what }.
timeline-dispute-open = فتح مصرف المشتري نزاعًا، وهو مفتوح الآن.
timeline-dispute-won = فتح مصرف المشتري نزاعًا، وقد كُسب.
timeline-dispute-lost = فتح مصرف المشتري نزاعًا، وقد خُسر.
timeline-became = { $what }: من { $from } إلى { $to }.
timeline-other = { $what }: { $to }.

### A withdrawal of an order: on the order's page, and on a page of its own

decide-declared = أعلنه { $email } في { $date }
decide-no-proof = دون إثبات
decide-lines = { PLURAL($n) ->
    [one] بند واحد
    [two] بندان
    [few] { $n } بنود
    [many] { $n } بندًا
   *[other] { $n } بند
}
decide-no-line = لا بنود
decide-decided = بُتّ فيه في { $date }
decide-waits = بحاجة إلى تدخّل:
decide-judged = يُبتّ فيه تلقائيًا، والمحاولة التالية في { $date }
decide-objected = قال صاحب عنوان الطلب في { $date } إنه لم يعلن هذا العدول.
decide-accept = قبول …
decide-accept-text = يُرد إلى المشتري كل ما تبقّى من مبالغ البنود المعلنة، وينتهي الوصول إليها. تصل إلى المشتري رسالة بذلك.
decide-reason-optional = السبب، ويراه المشتري؛ يمكن تركه فارغًا
decide-accept-submit = رد كل المتبقي وإنهاء الوصول
decide-part = رد جزء …
decide-part-text = لخدمة بدأ تنفيذها: يُرد هذا المبلغ إلى المشتري، وينتهي الوصول إلى البنود المعلنة. تصل إلى المشتري رسالة بذلك.
decide-part-submit = رد هذا المبلغ وإنهاء الوصول
decide-refuse = رفض …
decide-refuse-text = لا يُرد أي مبلغ، ويبقى الوصول. تصل إلى المشتري رسالة بالسبب الذي تكتبه، ويمكنه إعلان العدول عن البنود من جديد.
decide-refuse-submit = رفض العدول
decide-close = إغلاق …
decide-close-text = لا تُرسل أي رسالة: فقد يكون من أعلنه شخصًا غريبًا. إذا وجدت الطلب المقصود، فردّ مبلغه هناك أولًا.
decide-close-submit = إغلاق العدول

## The page of its own

withdrawal-title = عدول { $name }
withdrawal-heading = العدول
withdrawal-declared-what = ما أُعلن
withdrawal-order-named = الطلب كما ذُكر
withdrawal-name = الاسم
withdrawal-declared = تاريخ الإعلان
withdrawal-decision = القرار

### Before a refund

refund-title = رد المبلغ؟
refund-heading = هل تريد رد مبلغ هذا الطلب؟
refund-order = طلب { $email } بقيمة { $total }، رُدّ منها { $refunded } من قبل.
refund-amount = يعود مبلغ { $amount } إلى المشتري عبر { $provider }.
refund-all = يعود إلى المشتري كل ما تبقّى من { $total } عبر { $provider }.
refund-lines = يعود إلى المشتري كل ما تبقّى من البنود المحددة، وهو { $amount }، عبر { $provider }.
refund-lines-with-tax = يعود إلى المشتري كل ما تبقّى من البنود المحددة، وهو { $amount } مع الضريبة التي أُضيفت إليه إن وُجدت، عبر { $provider }.
refund-access-stays = يبقى الوصول كله.
refund-access-ends = ينتهي الوصول إلى { $item } فور قبول مزوّد الدفع، إلا إذا كان المتعلم قد حصل على شهادة.
refund-own = تدفع مؤسستك المبلغ عبر مصرفها، ثم تسجّل هنا أنه وصل.
refund-access-ends-now = ينتهي الوصول إلى { $item } فورًا، إلا إذا كان المتعلّم قد نال شهادة.
refund-mail = تصل إلى { $email } رسالة عن الاسترداد.
refund-no-mail = لا تصل إلى المشتري رسالة من هنا، لأن متجرًا آخر باع الطلب.
refund-mail-with-credit-note = تصل إلى { $email } رسالة عن الاسترداد مع إشعار دائن.
refund-needs-amount = تتطلب بادرة حسن النية مبلغًا. ارجع وأدخل مبلغًا.
refund-reason = السبب، ويراه المشتري أيضًا
refund-despite-dispute = رد المبلغ مع أن لدى المصرف نزاعًا مفتوحًا قد يعيد إلى المشتري المال نفسه
refund-taken = أخذت النزاعات { $lost }، ولا يمكن رد هذا المبلغ.
refund-back = رجوع دون رد أي مبلغ
refund-submit-all = رد كل المتبقي وإنهاء الوصول
refund-submit = رد { $amount } وإنهاء الوصول
refund-submit-keep = رد { $amount }

### A correction of the buyer on an invoice

invoice-title = تصحيح الفاتورة
invoice-buyer = المشتري في الفاتورة
invoice-asked = طلب الدعم هذا المشتري في { $date }. وبه تُرد الضريبة إلى المشتري.
invoice-happens = يلغي إشعار دائن الفاتورة، وتصدر فاتورة جديدة باسم هذا المشتري.
invoice-mail = تصل الفاتورة الجديدة إلى { $email } بالبريد الإلكتروني.
invoice-tax = إذا كانت شركة في دولة أخرى من دول الاتحاد الأوروبي وأكّد نظام VIES رقمها الضريبي، تُرد الضريبة.
invoice-tax-asked = إذا كانت شركة في دولة أخرى من دول الاتحاد الأوروبي وأكّد نظام VIES رقمها الضريبي، وجب رد الضريبة: عندئذ يُحال الطلب إلى المالية، وهي تصحّح الفاتورة.
invoice-back = رجوع دون تصحيح شيء
invoice-submit = تصحيح الفاتورة وإرسالها
invoice-refuse = رفض طلب الدعم
buyer-company = الشركة
buyer-tax-id = الرقم الضريبي
buyer-name = الاسم
buyer-line1 = الشارع
buyer-line2 = تكملة العنوان
buyer-postal-code = الرمز البريدي
buyer-city = المدينة
buyer-state = الولاية
buyer-country = البلد، حرفان

### Before a move

move-title = نقل؟
move-heading = هل تريد نقل هذا البند؟
move-line-number = البند { $position }
runs-heading = إلى أين يُنقل { $name }؟
runs-line = { $name }، { $mode }، اشتُري بسعر { $price }.
runs-choose = النقل إلى { $name } …
runs-same-course = موعد آخر
runs-none = لا توجد دورة أخرى معروضة للبيع بهذا النمط، أو أن المشتري يملكها بالفعل.
runs-person = أو إلى شخص آخر
move-is-moving = جارٍ نقله إلى { $course }.
move-is-moving-to-person = جارٍ نقله إلى { $course }، لشخص آخر.
move-was-moved = نُقل إلى { $course }.
move-was-moved-to-person = نُقل إلى { $course }، لشخص آخر.
move-access-now = من لديه وصول بهذا الطلب الآن:
move-to-course = يمنح البند الوصول إلى { $course } بدلًا من الدورة الحالية.
move-other-price = سعرها { $price } وسعر البند { $paid }: حدّد أدناه أنه لا يُحصَّل شيء ولا يُرد.
move-to-person = ينتقل وصول البند إلى { $email }، ويُدعى صاحبه إلى إنشاء حساب إن لم يوجد حساب بهذا العنوان.
move-old-access = يبقى الوصول الحالي حتى تؤكّد منصة الدورات الوصول الجديد، ثم ينتهي. إذا رفضت المنصة، بقي الوصول الحالي وظهر الرفض في قائمة «بحاجة إلى تدخّل».
move-earlier = يُسحب أي نقل سابق لهذا البند رفضته المنصة أو لم يُنشأ حساب بعنوانه.
move-money = لا يُدفع مال ولا يُرد. تبقى الفاتورة كما هي، وإذا رُدّ مبلغ البند لاحقًا انتهى الوصول الجديد.
move-certificate = إذا كان صاحب الوصول الحالي قد حصل على شهادة، فلن يحدث شيء.
move-mail = تصل رسالة إلى { $email } عند اكتمال النقل.
move-reason = السبب، للسجل
move-waive = النقل حتى إن اختلف السعر، دون تحصيل أي مبلغ أو رده
move-back = رجوع دون نقل
move-submit = نقل { $name } إلى { $to }

### A person: an address with its orders, courses and seats

person-download = تنزيل ما لدى { $organisation } عن هذا الشخص
person-download-help = بصيغة JSON، لمن يطلب بياناته.
person-no-orders = لا طلبات بهذا العنوان لدى { $organisation }. ربما اشترى الشخص بعنوان آخر: ابحث بالاسم المكتوب على الفاتورة.
person-no-courses = لم تُفتح لهذا العنوان أي دورة من { $organisation }.
person-seats = المقاعد التي يديرها هذا العنوان أو يشغلها
person-seats-taken = المشغول { $used } من { $seats }
person-seats-bought = اشتُريت في { $date }

### Payouts

payouts-title = التحويلات إلى المصرف
payouts-text = ما حوّله مزوّد الدفع إلى مصرفكم، ومحتوى كل تحويل. تُقرأ البيانات كل ساعة.
payouts-refused = لا يعرض { $gateway } التحويلات لمفتاح حسابكم. راجعوا مشغّل هذه الخدمة.
payouts-unread = لم تُقرأ تحويلات { $gateway } بعد.
payouts-made = تاريخ التحويل
payouts-bank = في المصرف
payouts-payments = المدفوعات
payouts-refunds = المبالغ المستردّة
payouts-disputes = النزاعات
payouts-fees = الرسوم
payouts-rest = أخرى
payouts-difference = فرق
payouts-not-read = لم يُقرأ محتواه بعد.
payouts-not-itemised = لا يذكر مزوّد الدفع محتواه.
payouts-none = لا تحويلات في هذه الفترة. اختر فترة أخرى.
payouts-csv = تنزيل التحويلات بصيغة CSV
payouts-xlsx = التحويلات بصيغة XLSX
payouts-movements = حركات التحويلات
payouts-movements-csv = الحركات بصيغة CSV
payouts-movements-xlsx = الحركات بصيغة XLSX
payout-status-pending = قيد الانتظار
payout-status-paid = محوَّل
payout-status-failed = فاشل

### The month that finance closes

# A link at the top of each page, and the page on which finance closes a month
month-title = إقفال الشهر
month-month = الشهر
month-text = يُحتسب المال في اليوم الذي يذكره المصرف أو مزوّد الدفع.
month-closed = مُقفل
month-closed-by = أُقفل في { $date } بواسطة { $name }.
month-closed-with = أُقفل مع { $month }.
month-open = انتهى الشهر ولم يُقفل بعد.
month-not-over = يمكن إقفال الشهر بعد { $day }.
month-provider = مزوّد الدفع
# In place of a provider: transfers that you take yourself
month-own-account = حسابكم الخاص
# Headings: money that is with the provider before and after the month
month-opening = لدى المزوّد من قبل
month-paid-out = المحوَّل إلى المصرف
month-closing = ما زال لدى المزوّد
month-no-opening = لا يُعرف ما كان لدى مزوّد الدفع من قبل، لأنه لا شهر مقفل خلال السنة السابقة.
month-adds-up = الحساب متطابق: ما كان من قبل وكل ما تحرّك يساوي ما بقي، والتحويلات متوافقة معه.
month-gaps = هذا لا يتطابق:
# Behind an amount: why it does not add up
month-gap-other = حركات في تحويل لا تعرفها الدفاتر
month-gap-unknown-payment = دفعات في تحويل ليست طلبات هنا
month-gap-other-currency = دُفع بعملة وحُوّل بأخرى
month-gap-difference = فرق بين تحويل وحركاته
month-gap-unread = تحويل لم تُقرأ حركاته في هذا الشهر، فرسومه ناقصة
month-gap-closed = فرق عن الرصيد الذي أُقفل به الشهر
# Above amounts
month-unpaid = غير مسدَّد الآن
month-pending = قيد المعالجة الآن
month-documents = مستندات ناقصة
month-documents-text = طلبات مدفوعة بلا فاتورة، ومبالغ مستردّة بلا إشعار دائن. يصدر معظمها خلال دقائق؛ راجعوا مشغّل الخدمة بشأن ما يبقى هنا.
month-no-documents = لا ينقص أي مستند.
month-late = أموال متأخرة
month-late-text = أموال تُحتسب في هذا الشهر لأن شهرها كان مقفلًا عند قيدها.
month-no-late = لم يصل شيء متأخرًا.
# Below an amount: of how many it is the sum
month-number = العدد: { $n }
month-close-text = بعد الإقفال يبقى الشهر كما هو مع كل ما قبله: ما يُقيَّد لاحقًا يُحتسب في شهر مفتوح. لا يمكن التراجع عن ذلك.
# A button
month-close = إقفال { $month }

### Reports

reports-title = التقارير
reports-from = من
reports-to = إلى (شاملًا هذا اليوم)
reports-by = اليوم المعتمد
reports-by-booked = يوم القيد
reports-by-received = يوم البنك أو مزوّد الدفع
reports-show = عرض
reports-zone = الأيام بحسب المنطقة الزمنية { $zone }.
# Before tags with what the page shows
reports-only = فقط:
reports-all = عرض كل الحركات
reports-totals = الحركات والضرائب
reports-movement = الحركة
reports-taxed-in = بلد الضريبة
reports-rate = النسبة
reports-number = العدد
reports-net = الصافي
reports-none = لا حركات مالية في هذه الفترة. اختر فترة أخرى: تُحتسب المدفوعات في اليوم الذي أبلغ عنها فيه مزوّد الدفع.
reports-ledger = دفتر الحركات
reports-ledger-first = { PLURAL($n) ->
    [one] دفتر الحركات: الحركة الأولى
    [two] دفتر الحركات: أول حركتين
    [few] دفتر الحركات: أول { $n } حركات
    [many] دفتر الحركات: أول { $n } حركة
   *[other] دفتر الحركات: أول { $n } حركة
}
reports-booked = تاريخ القيد
reports-received = تاريخ حركة المال
reports-document = المستند
reports-download-csv = تنزيل دفتر الحركات بصيغة CSV
reports-download-json = بصيغة JSON
reports-download-xlsx = دفتر الحركات بصيغة XLSX
reports-taxes = الضرائب
reports-taxes-text = الفواتير ناقص الإشعارات الدائنة، بحسب اليوم المبيّن فيها.
reports-taxes-chargeback = تسترجع رسوم الاسترجاع المال دون أن يتبعها إشعار دائن: فالضرائب هنا أعلى من ضرائب الحركات أعلاه بمقدار ضريبة عمليات الاسترجاع.
reports-country = البلد
reports-state = الولاية
reports-category = الفئة
reports-documents = المستندات
reports-taxes-csv = تنزيل الضرائب بصيغة CSV
reports-taxes-json = الضرائب بصيغة JSON
reports-taxes-days = الضرائب حسب اليوم
reports-taxes-days-xlsx = الضرائب حسب اليوم بصيغة XLSX
reports-taxes-payments-xlsx = الضرائب حسب يوم الدفع بصيغة XLSX
reports-taxes-oss = النافذة الواحدة (OSS)
reports-taxes-oss-xlsx = النافذة الواحدة (OSS) بصيغة XLSX
reports-taxes-xlsx = الضرائب بصيغة XLSX
reports-taxes-none = لم تُصدر أي فاتورة أو إشعار دائن في هذه المدة. المؤسسة التي لا بائع لها لا تصدر شيئًا.

reports-sum = المجموع
column-seq = الرقم
column-at = الوقت
column-day = تاريخ القيد
column-kind = الحركة
column-cart_id = الطلب
column-transaction_id = الدفعة
column-refund_id = الاسترداد
column-amount = المبلغ
column-tax = الضريبة
column-currency = العملة
column-gateway = مزوّد الدفع
column-provider_reference = مرجع مزوّد الدفع
column-region = بلد المشتري
column-list_price = السعر الأساسي
column-discounts = الخصومات
column-voucher_discount = خصم القسيمة
column-voucher = القسيمة
column-campaign = الحملة
column-document_number = المستند
column-tax_country = بلد الضريبة
column-tax_state = ولاية الضريبة
column-tax_rate = نسبة الضريبة (%)
column-language = اللغة
column-reference = مرجع المشتري
column-metadata = البيانات الوصفية
column-bank_day = يوم المصرف
column-bank_reference = مرجع المصرف
column-tax_id = الرقم الضريبي
column-reverse_charge = الاحتساب العكسي
column-country = البلد
column-state = الولاية
column-rate = النسبة (%)
column-category = الفئة
column-net = الصافي
column-count = المستندات
column-payout = التحويل
column-status = حالة التحويل
column-made_on = تاريخ التحويل
column-payments = المدفوعات
column-refunds = المبالغ المستردّة
column-disputes = النزاعات
column-fees = الرسوم
column-returned = تحويلات عادت
column-other = أخرى
column-rounding = التقريب
column-difference = الفرق
column-fee_tax = الضريبة ضمن الرسوم
column-movements = عدد الحركات
column-itemised = مفصَّل
column-movement = الحركة لدى المزوّد
column-provider_kind = النوع لدى المزوّد
column-gross = دون الرسم
column-fee = الرسم
column-balance = رصيد آخر
column-date = اليوم
column-buyer = المشتري
column-quarter = الربع
column-number = العدد
tax-category-s = أساسية
tax-category-z = نسبة صفر
tax-category-e = معفاة
tax-category-ae = احتساب عكسي
tax-category-o = غير خاضعة

### Vouchers

vouchers-title = القسائم
vouchers-whole-seat = مقعد كامل
vouchers-none-found = لا توجد قسيمة بهذا الرمز وهذه الحملة. اترك أحد الحقلين فارغًا لرؤية المزيد.
vouchers-none = ليس لدى { $organisation } قسائم بعد. أنشئ الأولى أدناه.
vouchers-new = إنشاء قسائم
vouchers-code-help = من 3 إلى 40 حرفًا لاتينيًا أو رقمًا أو - أو _. إذا تُرك فارغًا، تُنشأ الرموز تلقائيًا.
vouchers-count = عدد الرموز
vouchers-count-help = أكثر من رمز واحد فقط إذا لم تحدّد رمزًا بنفسك.
vouchers-percentage = نسبة مئوية
vouchers-amount = مبلغ
vouchers-how-much = المقدار
vouchers-courses-help = معرّف دورة واحد في كل سطر، مثل course-v1:Northwind+ENG101+2026. إذا تُرك فارغًا: كل ما تبيعه { $organisation }.
vouchers-new-submit = إنشاء القسائم

## One voucher

voucher-used = تاريخ الاستخدام
voucher-not-used = لم تُستخدم بعد.
voucher-terms = الشروط
voucher-for = تسري على
voucher-courses = { PLURAL($n) ->
    [one] دورة واحدة
    [two] دورتان
    [few] { $n } دورات
    [many] { $n } دورة
   *[other] { $n } دورة
}
voucher-programs = { PLURAL($n) ->
    [one] برنامج واحد
    [two] برنامجان
    [few] { $n } برامج
    [many] { $n } برنامجًا
   *[other] { $n } برنامج
}
voucher-everything = كل شيء
voucher-change-text = تبقى قيمة الخصم وما يسري عليه كما وُعد به.
voucher-budget-in = الميزانية بعملة { $currency }
voucher-until-help = إذا تُرك فارغًا: دون تاريخ انتهاء.
voucher-end-text = بعد إنهائها لا تخصم شيئًا من الطلبات الجديدة. يبقى ما اشتُري بها كما هو.
voucher-end = إنهاء { $code } الآن

## Its chart by day

voucher-chart = مرات الاستخدام في آخر 30 يومًا: المستخدَم { $up }، والمعاد { $down }؛ وأكبر عدد في يوم واحد { $most }
voucher-chart-day = { $day }: المستخدَم { $up }، والمعاد { $down }
voucher-chart-up = المستخدَم: { $n }
voucher-chart-down = المعاد: { $n }

## The codes of vouchers, to be taken along

codes-title = الرموز
codes-heading = { PLURAL($n) ->
    [one] رمز واحد
    [two] رمزان
    [few] { $n } رموز
    [many] { $n } رمزًا
   *[other] { $n } رمز
}
codes-of-campaign = { PLURAL($n) ->
    [one] رمز واحد من { $campaign }
    [two] رمزان من { $campaign }
    [few] { $n } رموز من { $campaign }
    [many] { $n } رمزًا من { $campaign }
   *[other] { $n } رمز من { $campaign }
}
codes-csv = تنزيلها بصيغة CSV
codes-copy = للنسخ
codes-back = العودة إلى القسائم
codes-take = أخذ رموز هذه الحملة

### Seats: places in a course that somebody has bought for others

seats-title = المقاعد
seats-pools = مجموعات المقاعد
seats-item = الدورة أو البرنامج
seats-bought = تاريخ الشراء
seats-taken = المشغول
seats-none = لم تبع { $organisation } أي مقاعد بعد. من يشتري عدة أماكن في دورة يحصل على مجموعة مقاعد ويمنحها لآخرين.

## One pool of seats

pool-taken = المقاعد المشغولة: { $used } من { $seats }
pool-left = المتبقي: { $n }
pool-code = الرمز
pool-order = الطلب الذي دُفعت به
pool-batch = العناوين التي أرسلتها
pool-holders = من لديه مقعد
pool-no-holders = لا مقعد لأي عنوان بعد. أدخل عناوين، أو أرسل الرمز إلى الآخرين.
pool-mail-failed = لم تصل الرسالة:
pool-take-back = سحب المقعد …
pool-take-back-pending = يصبح المقعد متاحًا من جديد، وتنتهي الدعوة.
pool-take-back-enrolled = يفقد { $email } الوصول إلى { $item }. يبقى المقعد مستهلكًا.
pool-take-back-submit = سحب مقعد { $email }
pool-give = منح مقاعد لعناوين
pool-give-help = عنوان واحد في كل سطر، و500 على الأكثر. من لديه حساب يُسجَّل ويُبلَّغ بالبريد، ويتلقى أي عنوان آخر دعوة.
pool-give-submit = منح المقاعد
pool-remind = تذكير
pool-remind-text = تُرسل رسالة إلى العناوين الـ100 الأطول انتظارًا لإنشاء الحساب، ولكل منها مرة واحدة في اليوم على الأكثر.
pool-remind-submit = تذكير من لم ينشئوا حسابًا

### Batches of enrollments

batches-title = العمليات الجماعية
batches-heading = عمليات التسجيل الجماعية
batches-submitted = تاريخ الإرسال
batches-failed = الفاشلة
batches-none = لم يرسل موظفو { $organisation } أي عملية جماعية في آخر 90 يومًا.
batches-new = تسجيل عناوين كثيرة أو إلغاء تسجيلها
batches-file = ملف CSV
batches-file-help = عمود email، والأعمدة course_id وmode وaction وlanguage حيث تختلف الصفوف. 5,000 صف على الأكثر.
batches-paste = أو الصق الصفوف
batches-course = دورة الصفوف التي لا تذكر دورة
batches-mode = نمط الصفوف التي لا تذكر نمطًا
batches-show = عرض الصفوف
batches-nothing-yet = لن يُنفَّذ شيء بعد.

## Before a batch is submitted

rows-title = إرسال؟
rows-heading = { PLURAL($n) ->
    [one] هل تريد إرسال صف واحد؟
    [two] هل تريد إرسال صفين؟
    [few] هل تريد إرسال { $n } صفوف؟
    [many] هل تريد إرسال { $n } صفًا؟
   *[other] هل تريد إرسال { $n } صف؟
}
rows-good = { PLURAL($n) ->
    [zero] لن يُعالَج أي صف.
    [one] سيُعالَج صف واحد. إذا سُجّل عنوان ليس له حساب، فسيتلقى دعوة.
    [two] سيُعالَج صفان، واحدًا تلو الآخر. إذا سُجّل عنوان ليس له حساب، فسيتلقى دعوة.
    [few] ستُعالَج { $n } صفوف، واحدًا تلو الآخر. إذا سُجّل عنوان ليس له حساب، فسيتلقى دعوة.
    [many] سيُعالَج { $n } صفًا، واحدًا تلو الآخر. إذا سُجّل عنوان ليس له حساب، فسيتلقى دعوة.
   *[other] سيُعالَج { $n } صف، واحدًا تلو الآخر. إذا سُجّل عنوان ليس له حساب، فسيتلقى دعوة.
}
rows-faulty = { PLURAL($n) ->
    [one] يتعذّر تنفيذ صف واحد للسبب المذكور أدناه. يفشل وحده دون غيره؛ صحّحه في الملف أو اتركه.
    [two] يتعذّر تنفيذ صفين للأسباب المذكورة أدناه. يفشلان وحدهما دون غيرهما؛ صحّحهما في الملف أو اتركهما.
    [few] يتعذّر تنفيذ { $n } صفوف للأسباب المذكورة أدناه. تفشل وحدها دون غيرها؛ صحّحها في الملف أو اتركها.
    [many] يتعذّر تنفيذ { $n } صفًا للأسباب المذكورة أدناه. تفشل وحدها دون غيرها؛ صحّحها في الملف أو اتركها.
   *[other] يتعذّر تنفيذ { $n } صف للأسباب المذكورة أدناه. تفشل وحدها دون غيرها؛ صحّحها في الملف أو اتركها.
}
rows-back = رجوع دون إرسال
rows-submit = { PLURAL($n) ->
    [one] إرسال صف واحد
    [two] إرسال صفين
    [few] إرسال { $n } صفوف
    [many] إرسال { $n } صفًا
   *[other] إرسال { $n } صف
}
rows-some = الصفوف: { $shown } من { $total }، والأخطاء أولًا
rows-fault = الخطأ

## One batch

batch-title = عملية جماعية
batch-all-rows = كل الصفوف
batch-failed-rows = الصفوف الفاشلة
batch-download-failed = تنزيل الصفوف الفاشلة
batch-download-all = تنزيل كل الصفوف
batch-result = النتيجة
batch-none-failed = لم يفشل أي صف.
batch-no-rows = لا صفوف في هذه الصفحة.

### The catalog: what the shop sells

catalog-title = الكتالوج
catalog-filter = الاسم أو معرّف الدورة
catalog-intro = تظهر التغييرات في المتجر خلال ثوانٍ. تحتفظ الطلبات السابقة بسعرها. لا تغيّر المزامنة مع منصة الدورات ما يُضبط هنا، أما الاستيراد فقد يستبدله.
catalog-not-published = غير منشورة
catalog-in-no-list = خارج القوائم
catalog-on-sale = معروضة للبيع
catalog-no-mode-on-sale = لا نمط معروض للبيع
catalog-starts = تبدأ في { $date }
catalog-publish = منشورة: يعرضها المتجر ويبيعها
catalog-hide = خارج القوائم: لا يجدها إلا من لديه الرابط
catalog-sell = معروض للبيع
catalog-save = حفظ ما يعرضه المتجر
catalog-until = حتى { $date }
catalog-from = من { $date }
catalog-price = السعر بعملة { $currency }
catalog-save-mode = حفظ { $mode }
catalog-dated = أسعار لفترة محددة
catalog-dated-text = يُحتسب أدنى سعر سارٍ. أدخل سعرًا أو نسبة مئوية. الوقت الفارغ يعني عدم وجود حد.
catalog-dated-name = الاسم، مثل حجز مبكر
catalog-dated-percent = أو خصم بالنسبة المئوية
catalog-dated-add = إضافة السعر
catalog-waiting-list = قائمة الانتظار
catalog-waiting = في الانتظار: { $waiting }؛ عُرض عليهم مكان: { $offered }؛ اشتروا: { $bought }؛ انتهى أو رُفض: { $lapsed }.
catalog-first-email = عنوان البريد الذي يكون التالي
catalog-first = وضعه في المقدمة
catalog-dated-remove = إزالة { $name }
catalog-no-mode = ليس للدورة أي نمط، ولذلك لا يُباع منها شيء. تأتي الأنماط من منصة الدورات أو من الاستيراد.
catalog-none-found = لا توجد لدى { $organisation } دورة يرد هذا في اسمها أو معرّفها.
catalog-none = ليست لدى { $organisation } دورات بعد. تأتي الدورات من منصة الدورات أو من استيراد يُعدّه مشغّل النظام.

### Events, and the endpoints that receive them

events-title = الأحداث
events-disabled = معطّلة
events-failing = متعثّرة
events-enabled = مفعّلة
events-gets = تتلقى { $types }.
events-waiting = { PLURAL($n) ->
    [zero] لا أحداث في الانتظار.
    [one] حدث واحد في الانتظار.
    [two] حدثان في الانتظار.
    [few] { $n } أحداث في الانتظار.
    [many] { $n } حدثًا في الانتظار.
   *[other] { $n } حدث في الانتظار.
}
events-failing-since = لم ينجح أي تسليم منذ { $date }.
events-disabled-on = عُطّلت في { $date }:
events-enable-text = أصلح الطرف المستقبِل أولًا. بعد التفعيل تتلقى نقطة النهاية كل ما فاتها.
events-enable = تفعيل
events-change = تغيير الأنواع أو المفتاح السري، أو الإزالة
events-types = الأحداث التي تتلقاها
events-save-types = حفظ الأنواع
events-secret-text = يظهر المفتاح السري الجديد مرة واحدة في الصفحة التالية. ويستمر المفتاح الحالي في التوقيع إلى جانبه لمدة يوم.
events-secret = إنشاء مفتاح سري جديد
events-remove-text = { PLURAL($n) ->
    [zero] بعد إزالتها لا تتلقى أي أحداث. تبقى الأحداث كلها في الموجز.
    [one] بعد إزالتها لا تتلقى أي أحداث، ولا يُسلَّم حدث واحد في الانتظار. تبقى الأحداث كلها في الموجز.
    [two] بعد إزالتها لا تتلقى أي أحداث، ولا يُسلَّم حدثان في الانتظار. تبقى الأحداث كلها في الموجز.
    [few] بعد إزالتها لا تتلقى أي أحداث، ولا تُسلَّم { $n } أحداث في الانتظار. تبقى الأحداث كلها في الموجز.
    [many] بعد إزالتها لا تتلقى أي أحداث، ولا يُسلَّم { $n } حدثًا في الانتظار. تبقى الأحداث كلها في الموجز.
   *[other] بعد إزالتها لا تتلقى أي أحداث، ولا يُسلَّم { $n } حدث في الانتظار. تبقى الأحداث كلها في الموجز.
}
events-remove = إزالة { $url }
events-deliveries = عمليات التسليم إلى { $url }
events-event = الحدث
events-happened = وقت الحدوث
events-attempts = المحاولات
events-last-answer = آخر استجابة
events-next = المحاولة التالية في { $date }
events-failed = { PLURAL($n) ->
    [one] فشلت آخر محاولة لحدث واحد.
    [two] فشلت آخر محاولة لحدثين.
    [few] فشلت آخر محاولة لـ { $n } أحداث.
    [many] فشلت آخر محاولة لـ { $n } حدثًا.
   *[other] فشلت آخر محاولة لـ { $n } حدث.
}
events-send-failed = إعادة إرسالها كلها
events-send-again = إعادة الإرسال
events-send-this-again = إعادة إرسال { $type } بتاريخ { $date }
events-none-yet = لا أحداث لنقطة النهاية هذه بعد.
events-none = ليس لدى { $organisation } نقطة نهاية للأحداث. يحدّد فريقكم التقني عنوانًا؛ ويمكن أيضًا قراءة الأحداث من الموجز.
events-new = إرسال الأحداث إلى عنوان
events-new-text = تعرض الصفحة التالية المفتاح السري الذي يوقّع الأحداث، مرة واحدة.
events-new-submit = إرسال الأحداث إليه

## The page that shows a secret once

secret-title = المفتاح السري
secret-heading = المفتاح السري الذي يوقّع الأحداث
secret-text = سلّمه الآن إلى التقنيين المسؤولين عن الطرف المستقبِل عبر قناة آمنة: لا يمكن عرضه مرة أخرى. إذا فُقد، فأنشئ مفتاحًا جديدًا. ويستمر المفتاح الذي لدى المستقبِل الآن في التوقيع إلى جانبه لمدة يوم.
secret-back = العودة إلى الأحداث

### The staff

staff-title = الموظفون
staff-heading = موظفو { $organisation }
staff-person = الشخص
staff-roles = الأدوار
staff-since = منذ
staff-remove = إزالة
staff-remove-person = إزالة { $email } من الموظفين
staff-add = إضافة شخص أو تغيير أدواره
staff-email = عنوان البريد الإلكتروني لحسابه
staff-support = الدعم: الرسائل والعناوين والتسجيلات والتنبيهات
staff-finance = المالية: المبالغ المستردة وحالات العدول والتقارير
staff-manager = الإدارة: القسائم والمقاعد والعمليات الجماعية والموظفون
staff-only-managers = لا يغيّر هذه القائمة إلا من له دور الإدارة في مؤسستك.

### What the last form did: one line at the top of the next page

done-receipt = الرسالة في طريقها.
done-address = صُحّح العنوان، وانتقل إليه ما كان في الانتظار. تصل رسائله إلى العنوان الجديد تلقائيًا: الإيصال، والدعوة إن لم يكن له حساب.
done-alert = أُغلق التنبيه.
done-invoice = صُحّحت الفاتورة، والجديدة في طريقها إلى المشتري.
done-invoice-asked = أُحيل الطلب إلى المالية. وتبقى الفاتورة كما هي حتى ذلك الحين.
done-invoice-refused = رُفض الطلب، وتبقى الفاتورة كما هي.
done-invitation = الدعوة في طريقها.
done-refund = الاسترداد قيد التنفيذ. تظهر حالته أدناه.
done-payment = سُجّلت الدفعة.
done-refund-arrived = وصل المبلغ المسترد.
done-refund-back = عاد المبلغ المسترد، ويُحسب لكم من جديد.
done-payment-returned = لم تعد الدفعة محسوبة.
done-payment-cancelled = انتهى الطلب.
done-document = سُجّل البلاغ.
done-move = النقل قيد التنفيذ. ينتهي الوصول القديم فور تأكيد منصة الدورات للوصول الجديد.
done-mails = الرسالة في طريقها.
done-enrollments = تُعاد المحاولة لدى منصة الدورات.
done-withdrawal = بُتّ في العدول.
done-dead-letters = عولجت الرسالة. إذا فشلت مرة أخرى، فستعود إلى هذه القائمة.
done-staff = حُدّثت قائمة الموظفين.
done-vouchers = { PLURAL($n) ->
    [one] قسيمة واحدة جاهزة.
    [two] قسيمتان جاهزتان.
    [few] { $n } قسائم جاهزة.
    [many] { $n } قسيمة جاهزة.
   *[other] { $n } قسيمة جاهزة.
}
done-voucher = عُدّلت القسيمة.
done-assigned = حُفظت العناوين، وتُمنح مقاعدها واحدًا تلو الآخر.
done-freed = أصبح المقعد متاحًا من جديد.
done-revoked = انتهى الوصول. يبقى المقعد مستهلكًا.
done-no-seat = لم يعد لهذا العنوان مقعد. لم يُنفَّذ شيء.
done-reminded = يُذكَّر من لم ينشئوا حسابًا ولم تصلهم رسالة خلال يوم.
done-none-reminded = لم يُذكَّر أي عنوان: كل منها له حساب أو وصلته رسالة خلال يوم.
done-batch = حُفظت الصفوف، وتُنفَّذ واحدًا تلو الآخر.
done-catalog = عُدّلت الدورة. يعرضها المتجر خلال ثوانٍ.
done-endpoints = فُعّلت نقطة النهاية. وستتلقى الأحداث التي فاتتها.
done-endpoint-changed = عُدّلت نقطة النهاية. إذا لم ترَ مفتاحها السري، فأنشئ مفتاحًا جديدًا.
done-deliveries = الحدث في طريقه من جديد.
done-deliveries-failed = كل الأحداث التي فشلت في طريقها من جديد.
done-month = أُقفل الشهر.

### What went wrong: a title, and the next step

problem-signed-out = لم تسجّل الدخول
problem-signed-out-text = سجّل الدخول في علامة تبويب أخرى من هذا المتصفح، ثم عُد إلى هنا. لم يُنفَّذ شيء بعد.
problem-sign-in = تسجيل الدخول
problem-not-allowed = غير مسموح لك بهذا
problem-not-allowed-text = اطلب الدور من أحد أصحاب دور الإدارة في مؤسستك، أو ارجع.
problem-not-found = لم يُعثر عليه
problem-not-found-text = تحقّق من الرابط، أو ابحث مجددًا.
problem-file = لم ينجح ذلك
problem-file-text = لم يُنفَّذ شيء. ارجع وأرسل ملفًا أصغر بصيغة CSV.
problem-sent-before = سبق إرسال هذا النموذج
problem-sent-before-text = أُرسل حينها بحقول مختلفة. تحقّق أولًا مما نتج عنه؛ فإرسال النموذج من هنا ينفّذه من جديد.
problem-invalid = لم ينجح ذلك
problem-invalid-text = صحّح ما هو مذكور أدناه وأعد الإرسال، أو ارجع.
problem-running = هذا الإجراء قيد التنفيذ بالفعل
problem-running-text = انتظر لحظة، ثم تحقّق مجددًا قبل أن تكرر أي شيء.
problem-contradiction = هذا يناقض ما هو مسجّل
problem-contradiction-text = لم يتغيّر شيء. قارنه بما يقوله النظام الآخر.
problem-no-answer = لا استجابة بعد
problem-no-answer-text = قد يُنفَّذ الإجراء رغم ذلك. تحقّق مجددًا؛ وإعادة إرسال هذا النموذج لا تنفّذ شيئًا مرتين.
problem-too-many = محاولات كثيرة جدًا
problem-too-many-text = انتظر لحظة، ثم أعد الإرسال.
problem-unavailable = هذا غير متاح الآن
problem-unavailable-text = لم يُنفَّذ شيء. حاول مجددًا بعد لحظة؛ وإعادة إرسال هذا النموذج لا تنفّذ شيئًا مرتين.
problem-send-again = إعادة إرسال هذا النموذج
problem-start = إلى الصفحة الرئيسية
problem-email = عنوان البريد الإلكتروني

## Faults of a form: what is wrong with a field, in English

problem-fault = { $field }: { $fault }
fault-order = الطلب
fault-address = العنوان
fault-reason = السبب
fault-amount = المبلغ
fault-reference = المرجع
fault-day = اليوم
fault-enrollment = التسجيل
fault-mail = البريد
fault-message = رسالة النظام
fault-endpoint = نقطة النهاية
fault-event = الحدث
fault-line = البند
fault-course = الدورة
fault-waive = خانة السعر المختلف
fault-file = الملف

## Refusals as sentences. The key of each is what the programs say in English.

refusal-your-account-lacks-the-role-support = ينقص حسابك دور الدعم.
refusal-your-account-lacks-the-role-finance = ينقص حسابك دور المالية.
refusal-your-account-lacks-the-role-manager = ينقص حسابك دور الإدارة.
refusal-is-required-for-the-record = مطلوب للسجل: { $field }.
refusal-is-not-an-email-address = ليس عنوان بريد إلكتروني: { $field }.
refusal-is-not-a-number-such-as-12-50 = «{ $field }» ليس رقمًا مثل 12.50.
refusal-is-not-clear-write-1000-for-a-thousand-and-1-00-for-one = «{ $field }» غير واضح: اكتب 1000 للألف و1.00 للواحد.
refusal-is-the-order-s-address-already = عنوان الطلب هو هذا بالفعل.
refusal-was-bought-by-an-account-whose-owner-changes-the-address-at-the-course-platform = اشتراه حساب: يغيّر صاحبه العنوان على منصة الدورات.
refusal-waits-for-its-payment-or-has-ended-only-an-order-that-is-complete-can-be-corrected = الطلب في انتظار الدفع أو انتهى. لا يُصحَّح إلا طلب مكتمل.
refusal-has-opened-a-course-under-this-address-already-or-was-upgraded-or-moved = فُتحت دورة بهذا العنوان بالفعل، أو رُقّي الطلب أو نُقل.
refusal-has-the-same-order-already = لهذا العنوان الطلب نفسه بالفعل.
refusal-is-not-a-course-of-the-organisation = ليس لدى مؤسستك دورة بهذا المعرّف.
refusal-is-not-on-sale-in-this-mode-or-the-buyer-has-it-already = الدورة غير معروضة للبيع بهذا النمط، أو أن المشتري يملكها بالفعل.
refusal-gives-no-access-that-can-be-moved = لا يمنح البند وصولًا يمكن نقله.
refusal-is-what-the-line-gives-already = يمنح البند هذا بالفعل.
refusal-leads-to-what-this-person-has-already = لدى الشخص هذه الدورة بالفعل.
refusal-is-sold-out = نفدت مقاعد الدورة.
refusal-is-being-moved-the-course-platform-has-not-confirmed-it-yet = البند قيد النقل: لم تؤكّده منصة الدورات بعد.
refusal-has-no-invoice = ليس للطلب فاتورة.
refusal-has-refunds-so-its-invoice-stays-as-it-is = للطلب مبالغ مستردة، فتبقى فاتورته كما هي.
refusal-was-corrected-three-times-already = صُحّحت الفاتورة ثلاث مرات بالفعل.
refusal-changes-the-tax-refund-the-order-and-sell-it-again = يغيّر هذا العنوان الضريبة: رُدّ مبلغ الطلب وبِعه من جديد.
refusal-waits-for-no-other-invoice = لم يعد هناك طلب للمالية بشأن هذا الطلب.
refusal-has-no-receipt-it-is-not-paid-or-its-courses-are-not-open-yet = لا يوجد إيصال: لم يُدفع الطلب، أو لم تُفتح دوراته بعد.
refusal-has-no-open-alert = لم يعد للدفعة تنبيه مفتوح.
refusal-is-the-last-manager-an-operator-can-change-that = هذا آخر مدير؛ يمكن لمشغّل النظام تغيير ذلك.
refusal-is-not-over-yet = لم ينتهِ الشهر بعد.
refusal-is-closed-already = الشهر مقفل من قبل.
refusal-is-not-a-month-such-as-2026-11 = «{ $field }» ليس شهرًا مثل 2026-11.
refusal-is-not-of-an-account-that-has-bought-or-enrolled-here-an-operator-can-add-it = لا حساب بهذا العنوان اشترى أو سُجّل هنا؛ يمكن لمشغّل النظام إضافته.
