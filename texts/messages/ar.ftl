# Arabic, as it is written everywhere. Arabic has six plural forms.

### Mails

## Every mail

mail-order = الطلب { $order }
mail-invoice-attached = الفاتورة { $number } مرفقة.
mail-credit-note-attached = الإشعار الدائن { $number } مرفق.
mail-open-course = الانتقال إلى الدورة
mail-begins = موعد البدء، وهو أيضًا في ملف التقويم المرفق:
mail-begins-at = { $course }: { $moment } ({ $zone })
mail-open-invoice = عرض الفاتورة
mail-open-credit-note = عرض الإشعار الدائن
mail-create-account = إنشاء الحساب
mail-reason = ترسل إليك { $organisation } هذه الرسالة بسبب طلب أو تسجيل بهذا العنوان.
mail-contact = هل لديك أسئلة؟ يمكنك الرد على هذه الرسالة أو الكتابة إلى { $email }.

## Receipt: after an order was paid or was free

receipt-subject = إيصالك من { $organisation }
receipt-heading = شكرًا على شرائك
receipt-bought = هذا ما اشتريته من { $organisation } في { $date }:
receipt-voucher = وفّرت لك القسيمة { $code } مبلغ { $amount }.
receipt-courses = دوراتك موجودة في حسابك. إذا لم يكن لديك حساب بعد، فستوضح لك رسالة أخرى كيفية إنشائه بعنوان البريد الإلكتروني هذا.
receipt-agreed = في { $date } وافقت على:
receipt-agreed-terms = شروط البيع
receipt-agreed-version = شروط البيع، الإصدار { $version }
receipt-agreed-begin = أن نبدأ قبل انتهاء مهلة العدول، كما طلبت صراحةً
receipt-agreed-service = أن تفقد حقك في العدول بمجرد تنفيذ الخدمة بالكامل
receipt-agreed-content = أن تفقد بذلك حقك في العدول

invoice-subject = فاتورتك من { $organisation }
invoice-heading = شكرًا على طلبك
invoice-ordered = هذا ما طلبته من { $organisation } في { $date }:
invoice-pay = يُرجى تحويل { $amount } إلى هذا الحساب في موعد أقصاه { $date }، مع كتابة الرقم المرجعي { $reference }.
cancelled-subject = أُلغيت فاتورتك من { $organisation }
cancelled-heading = أُلغيت فاتورتك
cancelled-text = أُلغي الطلب: لا شيء عليك دفعه، ولم تعد دوراته متاحة لك.
transfer-subject = كيف تدفع ثمن طلبك من { $organisation }
document-again-subject = مستندك من { $organisation }
document-again-heading = إليك رابطك الجديد
document-again-text = طُلب رابط جديد في صفحة هذا المستند. لا حاجة إلى الاحتفاظ بالروابط السابقة.
document-follows-subject = مستندك من { $organisation }
document-follows-heading = إليك مستندك
document-follows-text = يخص هذا المستند طلبك. وإذا كنا قد أرسلنا إليك نسخة سابقة، فهو يحل محلها.

## An invoice that was corrected

corrected-subject = فاتورتك المصحّحة من { $organisation }
corrected-heading = صُحّحت فاتورتك
corrected-text = تحل الفاتورة الجديدة محل السابقة. ولا يتغير شيء آخر في طلبك.

## A place that has moved to another course or person

moved-subject = تغيير في طلبك لدى { $organisation }
moved-heading = نُقل مقعدك
moved-to-course = أصبح مقعدك في { $from } مقعدًا في { $to }. لا يُحصَّل شيء مقابل ذلك ولا يُرد.
moved-to-person = أصبح مقعدك في { $to } لشخص آخر كما طُلب. لا يُحصَّل شيء مقابل ذلك ولا يُرد.
access-ends-subject = ينتهي قريبًا وصولك إلى دورة لدى { $organisation }
access-ends-heading = ينتهي وصولك قريبًا
access-ends-text = { $date } هو آخر يوم لوصولك إلى { $course }.
access-ends-again = إذا اشتريتها مرة أخرى، تبدأ المدة الجديدة بعد الحالية.
access-over-subject = انتهى وصولك إلى دورة لدى { $organisation }
access-over-heading = انتهى وصولك
access-over-text = كان { $date } آخر يوم لوصولك إلى { $course }.
access-buy-again = الشراء مرة أخرى

## The waiting list of a full course

waiting-confirm-subject = مكان في مقرر لدى { $organisation }: يُرجى التأكيد
waiting-confirm-heading = هل تريد انتظار مكان؟
waiting-confirm-text = اكتمل العدد في { $course }. طلبتَ، أو طلب شخص آخر بهذا العنوان، الإبلاغ عند توفر مكان. إن لم تكن أنت، فلا داعي لفعل شيء: يُحذف هذا العنوان بعد أسبوع.
waiting-listed-subject = أنت في قائمة الانتظار لدى { $organisation }
waiting-listed-heading = أنت في قائمة الانتظار
waiting-listed-text = عندما يتوفر مكان في { $course } ويحين دورك، تصلك رسالة. ويُحجز لك ذلك المكان لبعض الوقت.
waiting-leave-hint = يمكنك مغادرة القائمة في أي وقت:
waiting-offered-subject = توفر مكان في مقرر لدى { $organisation }
waiting-offered-heading = توفر مكان لك
waiting-offered-text = حُجز لك مكان في { $course } حتى { $date } الساعة { $time } ({ $zone }). بعد ذلك ينتقل إلى الشخص التالي.
waiting-code = الرمز { $code } يمنح المكان لعنوان البريد هذا وحده.

## Refund

refund-subject = المبلغ المسترد من { $organisation }
refund-heading = استرداد مبلغ { $amount }
refund-lines = أعادت { $organisation } مبلغ { $amount } من طلبك:
refund-time = يعود المال بالطريقة التي دفعت بها. وقد يستغرق وصوله حتى عشرة أيام.

## Invitation: to somebody who has courses but no account yet

invitation-subject = مكانك لدى { $organisation }
invitation-heading = هناك مكان محجوز لك
invitation-courses = حجزت لك { $organisation } مكانًا في:
invitation-how = لبدء التعلم، أنشئ حسابك بعنوان البريد الإلكتروني هذا.
invitation-afterwards = ستظهر دوراتك في حسابك فور تفعيله. إذا كان لديك حساب بعنوان آخر، فأنشئ حسابًا بهذا العنوان أو اطلب من { $organisation } تغييره.
invitation-unexpected = إذا لم تكن تتوقع هذه الرسالة، فيمكنك تجاهلها: لن يحدث شيء من دونك.

## Seats ready: to somebody who bought places for others

seats-subject = مقاعدك من { $organisation }
seats-heading = { PLURAL($seats) ->
    [one] مقعدك جاهز
    [two] مقعداك جاهزان
    [few] مقاعدك الـ{ $seats } جاهزة
    [many] مقاعدك الـ{ $seats } جاهزة
   *[other] مقاعدك الـ{ $seats } جاهزة
}
seats-ready = { PLURAL($seats) ->
    [one] يمكنك الآن منح مقعد واحد في { $item } من { $organisation }.
    [two] يمكنك الآن منح مقعدين في { $item } من { $organisation }.
    [few] يمكنك الآن منح { $seats } مقاعد في { $item } من { $organisation }.
    [many] يمكنك الآن منح { $seats } مقعدًا في { $item } من { $organisation }.
   *[other] يمكنك الآن منح { $seats } مقعد في { $item } من { $organisation }.
}
seats-manage = امنح المقاعد لأشخاص بعناوين بريدهم الإلكتروني، واعرف من لديه مقعد، واسترجع المقاعد.
seats-open = إدارة مقاعدك
seats-link = يفتح هذا الرابط مقاعدك لمدة عام. لا تعطه إلا لمن يحق له إدارتها.
seats-code = أرسل هذا الرمز إلى الآخرين: يمكن لكل شخص أن يأخذ مقعدًا واحدًا بطلب { $item } باستخدامه.
seats-code-too = أو أرسل هذا الرمز إلى الآخرين: يمكن لكل شخص أن يأخذ مقعدًا واحدًا بطلب { $item } باستخدامه.

## Seat assigned: to somebody for whom another person has bought a place. { $giver } is that person's address, or the seller

seat-subject = مكانك لدى { $organisation }
seat-heading = لديك مكان في { $item }
seat-heading-reminder = مكانك في { $item } ما زال في انتظارك
seat-given = منحك { $giver } مكانًا في { $item } لدى { $organisation }.
seat-in-account = تجده في حسابك.
seat-afterwards = ستظهر دوراتك في حسابك فور تفعيله. إذا كان لديك حساب بعنوان آخر، فاطلب من { $giver } استخدامه.
seat-unexpected = إذا لم تكن تتوقع هذه الرسالة، فيمكنك تجاهلها.
gift-subject = هدية لك لدى { $organisation }
gift-heading = { $giver } يهديك { $item }
gift-planned-heading = هديتك جاهزة
gift-planned = سيحصل { $recipient } على المقعد في { $date }.
gift-given-now = هي في طريقها إلى { $recipient }.
gift-change = حتى ذلك الحين يمكنك منحه لشخص آخر.

## Withdrawal from the contract

withdrawal-subject = عدولك لدى { $organisation }
withdrawal-heading = وصلنا عدولك
withdrawal-received = تلقت { $organisation } عدولك في { $date } الساعة { $time }:
withdrawal-name = الاسم: { $name }
withdrawal-email = البريد الإلكتروني: { $email }
withdrawal-keep = يُرجى الاحتفاظ بهذه الرسالة: فهي تؤكد ما أعلنته ومتى.
withdrawal-unproved = لم يثبت لنا بعد أنك المشتري. يُحتسب العدول من الوقت المذكور أعلاه، ويُنفَّذ في { $date }. إذا لم تكن قد أعلنته، فأخبرنا قبل ذلك، ولن يحدث شيء حتى تسألك { $organisation }.
withdrawal-object = لم أعلن هذا العدول
withdrawal-refused-subject = لم يُقبل عدولك لدى { $organisation }
withdrawal-refused-heading = لم يُقبل عدولك
withdrawal-refused = راجعت { $organisation } العدول الذي أعلنته في { $date } ولم تقبله:
withdrawal-disagree = إذا كنت لا توافق، فيُرجى مراسلة { $organisation }.

### Mails, pages and invoices

item-seats = { PLURAL($seats) ->
    [one] { $item }، مقعد واحد
    [two] { $item }، مقعدان
    [few] { $item }، { $seats } مقاعد
    [many] { $item }، { $seats } مقعدًا
   *[other] { $item }، { $seats } مقعد
}
order-tax = الضريبة
order-tax-included = منها ضريبة
order-total = المجموع
# The link of receipts, and the title of the page to which it leads.
withdraw-here = العدول عن العقد هنا

# The buttons of mails about a waiting list, and of the page to which they lead.
waiting-confirm = نعم، أضفني إلى القائمة
waiting-leave = مغادرة القائمة
waiting-buy = أخذ المكان
waiting-decline = لا أريده

### Pages

## The payment page

page-payment = الدفع – { $organisation }
page-your-order = طلبك
page-pay = ادفع { $amount }
page-loading = جارٍ التحميل…
page-moment = لحظة من فضلك…
page-back = العودة إلى { $shop }
page-no-script = يتطلب الدفع JavaScript، وهو معطّل في متصفحك.
page-no-provider = تعذّر الوصول إلى مزوّد الدفع. يُرجى إعادة تحميل هذه الصفحة بعد قليل.
page-failed = لم تنجح عملية الدفع هذه. يُرجى المحاولة مرة أخرى أو استخدام بطاقة أخرى.
page-unfinished = لم تكتمل عملية الدفع.
page-again = لم ينجح ذلك. يُرجى المحاولة مرة أخرى.
page-confirming = ننتظر تأكيد دفعتك…
page-unconfirmed = لم تُؤكَّد دفعتك بعد. ستصلك رسالة فور تأكيدها؛ يُرجى عدم الدفع مرة أخرى.
page-transfer = يُرجى تحويل { $amount } إلى هذا الحساب في موعد أقصاه { $date }، مع كتابة الرقم المرجعي حتى نتعرّف على دفعتك.
page-transfer-account = الحساب
page-transfer-reference = الرقم المرجعي
transfer-code = امسح هذا الرمز بتطبيق مصرفك لملء بيانات التحويل.
page-transfer-partly = وصل { $received }، والمبلغ المتبقي { $open }.
page-transfer-later = ستصلك رسالة فور وصول دفعتك، وعندها تُتاح لك دوراتك.

## The standing of an order: a word for lists, sentences for its buyer

standing-open = غير مكتمل
standing-waiting = في انتظار الدفع
standing-at-bank = في انتظار المصرف
standing-transfer = في انتظار التحويل
standing-on-account = فاتورة غير مدفوعة
standing-overdue = فاتورة متأخرة
standing-opening = مدفوع
standing-registration = في انتظار التسجيل
standing-refused = رُفض الوصول
standing-complete = مكتمل
standing-ended = انتهى الوصول
standing-partly-refunded = مسترد جزئيًا
standing-refunded = مسترد
standing-disputed = دفعة متنازع عليها
standing-lost = استعاده المصرف
standing-cancelled = ملغى
standing-expired = منتهي الصلاحية
standing-replaced = مستبدل
standing-payment-open = لم يكتمل هذا الطلب بعد. يمكنك المتابعة في المتجر.
standing-payment-free = اكتمل طلبك.
standing-payment-waiting = لم تُؤكَّد دفعتك بعد. ستُظهر هذه الصفحة ذلك فور تأكيدها.
standing-payment-at-bank = ننتظر مصرفك، وقد يستغرق ذلك بضعة أيام. ستصلك رسالة فور وصول دفعتك؛ يُرجى عدم الدفع مرة أخرى.
standing-payment-transfer = ننتظر تحويلك. ستصلك رسالة فور وصوله.
standing-payment-on-account = يُرجى دفع الفاتورة في موعد أقصاه تاريخ استحقاقها.
standing-payment-overdue = تجاوزت الفاتورة موعد استحقاقها. يُرجى دفعها الآن.
standing-payment-paid = شكرًا لك، وصلت دفعتك.
standing-payment-partly-refunded = رُدّ جزء من مبلغ هذا الطلب.
standing-payment-refunded = رُدّ مبلغ هذا الطلب.
standing-payment-disputed = طُلب من مصرفك استعادة هذه الدفعة، ولم يقرر بعد.
standing-payment-lost = استعاد مصرفك هذه الدفعة.
standing-payment-cancelled = أُنهي هذا الطلب. يمكنك البدء من جديد في المتجر.
standing-payment-expired = لم يُدفع هذا الطلب في الوقت المحدد. يمكنك البدء من جديد في المتجر.
standing-payment-replaced = حلّ طلب آخر محل هذا الطلب، وما زال مصرفك يعالج دفعته. يُرجى عدم دفعه مرة أخرى.
standing-access-opening = يجري فتح دوراتك.
standing-access-registration = ستُفتح دوراتك فور تسجيلك بعنوانك.
standing-access-open = دوراتك موجودة في حسابك.
standing-access-seats = يمكنك توزيع المقاعد.
standing-access-refused = رفضت منصة الدورات منح الوصول، والمؤسسة تنظر في الأمر.
standing-access-ended = انتهى الوصول إلى الدورات.
standing-access-account = دوراتك في حساب عنوانك فور وجوده.
status-replaced = حلّت دفعة أخرى محل هذه الدفعة. يُرجى إتمام تلك الدفعة أو البدء من جديد في المتجر.

## The page of withdrawal, in two steps. Article 11a of Directive 2011/83/EU asks for the words of withdraw-here (above) and
## withdraw-confirm, or others as unambiguous: these are those of its official version, where the language has one

withdraw-confirm = تأكيد العدول
withdraw-intro = استخدم هذا النموذج للعدول عن عقد. لا تحتاج إلى حساب ولا إلى ذكر أسباب.
withdraw-intro-shop = استخدم هذا النموذج للعدول عن عقدك مع { $organisation }. لا تحتاج إلى حساب ولا إلى ذكر أسباب.
withdraw-link-expired = لم يعد الرابط الذي فتحته صالحًا. لا يزال بإمكانك إعلان عدولك هنا.
withdraw-order = رقم الطلب أو الفاتورة
withdraw-order-hint = كما يظهر في إيصالك.
withdraw-name = اسمك
withdraw-email = عنوان بريدك الإلكتروني
withdraw-email-hint = عنوان طلبك. نرسل إليه تأكيد عدولك.
withdraw-items = عمّ تريد العدول؟
withdraw-item = دورة أو برنامج
withdraw-continue = متابعة
withdraw-check = يُرجى مراجعة إعلانك: أعدِل عن العقد الخاص بهذا الطلب.
withdraw-change = تعديل
withdraw-correct = يُرجى تصحيح ما يلي:
withdraw-no-order = أدخل رقم طلبك أو فاتورتك.
withdraw-no-name = أدخل اسمك.
withdraw-no-email = أدخل عنوان بريدك الإلكتروني، مثل name@example.com.
withdraw-no-item = اختر عنصرًا واحدًا على الأقل.
withdraw-received = وصلنا عدولك
withdraw-received-at = وصلنا إعلانك في { $date } الساعة { $time }.
withdraw-acknowledged = إذا كان يخص طلبًا بهذا العنوان، فستتلقى بالبريد الإلكتروني تأكيدًا يتضمن محتواه.
withdraw-confirmed = ستتلقى بالبريد الإلكتروني تأكيدًا يتضمن محتواه.
withdraw-objection = ألم تعلن هذا؟
withdraw-objection-text = أعلن شخص العدول عن طلبك ولم يُثبت أنه أنت. إذا لم تكن أنت، فأخبرنا هنا. ولن يحدث شيء بعد ذلك حتى يسألك البائع.
withdraw-objected = شكرًا لك. سيراجع البائع هذا أولًا، ويبقى طلبك كما هو حتى ذلك الحين.
withdraw-object-late = لم يعد هناك ما يمكن الاعتراض عليه: سبق البتّ في هذا العدول أو سحبه أو الاعتراض عليه، أو لم يعد هذا الرابط صالحًا.

## The page of a waiting list

waiting-page-title = قائمة الانتظار
waiting-page-full = اكتمل العدد في { $course }. هل تريد أن نبلغك عند توفر مكان؟
waiting-page-listed = أنت في قائمة الانتظار للمقرر { $course }. تصلك رسالة عندما يحين دورك.
waiting-page-offered = حُجز لك مكان في { $course } حتى { $date } الساعة { $time } ({ $zone }).
waiting-page-ended = لست في قائمة الانتظار لهذا المقرر، أو لم تعد فيها.

## The page for buying what a link of the course platform names

buy-seats-offer = مقاعد لآخرين، سعر المقعد الواحد
buy-upgrade = ترقية من { $mode }
buy-voucher-accepted = خُصمت قيمة الرمز { $code }.
buy-voucher-refused = لا ينطبق الرمز { $code } على هذا الطلب. هذا هو السعر من دونه.
buy-seats = عدد المقاعد
buy-name = الاسم
buy-line1 = الشارع والرقم
buy-line2 = العنوان، السطر الثاني
buy-city = المدينة
buy-state = الولاية أو المقاطعة
buy-postal-code = الرمز البريدي
buy-country = البلد (حرفان لاتينيان، مثل EG)
buy-consent-terms = أوافق على شروط البيع.
buy-consent-begin-now = أريد البدء قبل انتهاء مهلة العدول.
buy-consent-loses-right = أعلم أنني أفقد بذلك حقي في العدول.
buy-terms = شروط البيع
buy-enroll = التسجيل في الدورة
buy-continue = المتابعة إلى الدفع
buy-back = العودة إلى دوراتك

## Instead of that page

buy-not-sold = هذا غير معروض للبيع
buy-not-sold-text = لا يمكن شراء الدورة أو شهادتها هنا، أو لم يعد ذلك ممكنًا. عُد إلى الدورة وافتح الصفحة من جديد من هناك.
buy-apart = يُرجى شراء هذه الدورات واحدة تلو الأخرى
buy-apart-text = تبيع هذه الدورات مؤسسات مختلفة. افتح كل دورة واشترها من هناك.
buy-inactive = يُرجى تأكيد عنوان بريدك الإلكتروني
buy-inactive-text = تلقيت عند التسجيل رسالة فيها رابط. افتح ذلك الرابط، ثم عُد إلى هذه الصفحة.
buy-held = لديك هذا بالفعل
buy-held-text = لا يوجد ما تدفعه. الدورة موجودة في حسابك.
buy-refused = لا يمكن شراء هذا الآن
buy-refused-text = ربما اكتمل عدد المقاعد في الدورة، أو أُغلق التسجيل فيها، أو أنها في حسابك بالفعل.
buy-faulty = يُرجى مراجعة ما أدخلته
buy-faulty-text = ارجع وصحّح ما يلي:
# $label is buy-seats.
buy-faulty-seats = { $label } (من 1 إلى { $most })
buy-signed-out = يُرجى تسجيل الدخول من جديد
buy-signed-out-text = انتهت جلستك. افتح الصفحة من جديد من دورتك.
buy-not-admitted = لا يمكنك الشراء من هذه المؤسسة
buy-not-admitted-text = تبيع لمتعلميها فقط. اطلب منها إتاحة الوصول.
buy-no-payments = لا يستقبل هذا المتجر المدفوعات بعد
buy-no-payments-text = يُرجى المحاولة لاحقًا، أو سؤال المؤسسة.
buy-failed-text = يُرجى فتحها من جديد بعد قليل. لم يُخصم منك أي مبلغ.

## The page of a learner's orders

history-title = طلباتك
history-none = لم تشترِ شيئًا بعد.
history-refunded = استُرد { $amount }
history-invoice = الفاتورة { $number }
history-credit-note = الإشعار الدائن { $number }

## Instead of a page that cannot be shown

problem-expired = انتهت صلاحية هذا الرابط
problem-expired-text = لا تعمل روابط الطلبات إلا لفترة قصيرة. إذا كنت قد دفعت، فلا حاجة إلى فعل أي شيء آخر: ستُتاح لك دوراتك فور وصول الدفعة، وسيصلك إيصال بالبريد الإلكتروني. لعرض طلبك، أو لدفعه إن لم تدفعه بعد، عُد إلى المتجر وسجّل الدخول.
problem-invalid = لم يعد هذا الرابط صالحًا
problem-invalid-text = لا تعمل روابط الطلبات إلا لفترة قصيرة. يُرجى تسجيل الدخول وفتح الطلب من جديد في المتجر.
problem-not-found = لم يُعثر على الطلب
problem-not-found-text = لا يوجد طلب كهذا، أو أنه ليس طلبك. يُرجى التحقق من الرابط.
problem-too-many = طلبات كثيرة جدًا
problem-too-many-text = يُرجى الانتظار لحظة ثم فتح الصفحة من جديد.
problem-other = لا يمكن عرض هذه الصفحة الآن
problem-other-text = يُرجى فتحها من جديد بعد قليل. لم يتأثر طلبك.
problem-unseen = لم تسجّل الدخول هنا
problem-unseen-text = سجّلت الدخول في المنصة، لكن متصفحك لا يُعلم هذه الصفحة بذلك. اسمح بملفات تعريف الارتباط لهذا الموقع، ثم افتح الصفحة من جديد.
problem-again-text = يُرجى فتحها من جديد بعد قليل.
problem-document-text = تعمل روابط الفواتير والإشعارات الدائنة لمدة 90 يومًا، وبشرط أن تكون كاملة. يمكننا إرسال رابط جديد إلى العنوان الذي وصلته الرسالة الأولى.
problem-document-send = إرسال رابط جديد
problem-document-sent = الرابط الجديد في طريقه إليك
problem-document-sent-text = يُرجى البحث في صندوق البريد الذي وصلته الرسالة الأولى. قد يستغرق ذلك بضع دقائق، ولا يُرسل أكثر من ثلاث رسائل في اليوم.
problem-invitation = هذا الرابط غير مكتمل
problem-invitation-text = يُرجى فتح الرسالة مرة أخرى واستخدام الزر فيها، أو نسخ الرابط كاملًا. يمكنك أيضًا إنشاء حسابك من دونه: استخدم العنوان الذي وصلته الرسالة، وستظهر دوراتك هناك.

### Invoices and credit notes

document-invoice = فاتورة
document-credit-note = إشعار دائن
document-number = الرقم
document-for-invoice = عن الفاتورة
document-issued = تاريخ الإصدار
document-supplied = تاريخ التوريد
document-place-of-supply = مكان التوريد
document-order = الطلب
document-reference = المرجع
document-paid-through = الدفع عبر
document-due = تاريخ الاستحقاق
document-payment-reference = الرقم المرجعي للدفع
document-pay-to = يُرجى الدفع إلى هذا الحساب: { $account }
document-bank-transfer = تحويل مصرفي
document-billed-to = صادرة إلى
document-tax-id = الرقم الضريبي { $number }
document-description = الوصف
document-quantity = الكمية
document-each = { $price } للوحدة، دون الضريبة
document-net = الصافي
document-rate = النسبة
document-tax = الضريبة
document-total = المجموع
document-total-credited = المجموع الدائن
# Such as: USt 19 % of 200.00. The tax's name is the seller's legal word for it.
document-tax-of = { $tax } { $rate } من { $net }
document-converted-tax = الضريبة بعملة { $currency }: { $amount } (1 { $base } = { $rate } { $currency }، { $day }، { $source })
document-page = الصفحة { $page } من { $pages }
# { $mode } is the kind of enrollment, such as verified; it is not translated.
document-line = { $item } ({ $mode })
document-line-seats = { $item } ({ $mode }، مقاعد)
document-line-upgrade = { $item } ({ $mode }، ترقية من { $from })
document-voucher = خفّضت القسيمة { $code } الأسعار بمقدار { $amount }.
document-reverse-charge = احتساب عكسي: ضريبة القيمة المضافة مستحقة على المستلم.
document-cleared-number = رقم الجهة الرسمية
document-cleared = وقت الاعتماد
document-cleared-code = امسح هذا الرمز للتحقق من هذا المستند لدى الجهة الرسمية.
document-check-code = امسح هذا الرمز للتحقق من هذا المستند.

### The example shop

## On every page

shop-name = متجر نموذجي
shop-skip = انتقل إلى المحتوى
shop-courses = الدورات
shop-programs = البرامج
shop-basket = السلة
shop-my-orders = طلباتي
shop-my-seats = مقاعدي
shop-sign-in = تسجيل الدخول
shop-sign-out = تسجيل الخروج
shop-footer = دورات من عدة مؤسسات في متجر واحد. تتعلم على منصتها بحساب واحد.
shop-language = اللغة
shop-language-set = تغيير
shop-country-demo = البلد (عرض توضيحي)
shop-country-none = لم يُختر
shop-country-set = اختيار

## Lists

shop-hero-title = تعلّم ممّن يمارسون العمل
shop-hero-text = دورات من أكاديميات مستقلة، مع شهادة إن أردت. ابدأ اليوم وبالوتيرة التي تناسبك.
shop-search = بحث
shop-search-hint = إحصاء، نجارة، سنسكريتية…
shop-courses-count = { PLURAL($count) ->
    [zero] لا دورات
    [one] دورة واحدة
    [two] دورتان
    [few] { $count } دورات
    [many] { $count } دورة
   *[other] { $count } دورة
}
shop-programs-count = { PLURAL($count) ->
    [zero] لا برامج
    [one] برنامج واحد
    [two] برنامجان
    [few] { $count } برامج
    [many] { $count } برنامجًا
   *[other] { $count } برنامج
}
shop-organisations-count = { PLURAL($count) ->
    [zero] لا أكاديميات
    [one] أكاديمية واحدة
    [two] أكاديميتان
    [few] { $count } أكاديميات
    [many] { $count } أكاديمية
   *[other] { $count } أكاديمية
}
shop-filter-organisation = التصفية حسب الأكاديمية
shop-filter-topic = التصفية حسب الموضوع
shop-filter-all = الكل
shop-sort = الترتيب حسب
shop-sort-new = الأحدث
shop-sort-rating = التقييم
shop-sort-price = السعر
shop-sort-name = الاسم
shop-sort-set = رتّب
shop-pages = الصفحات
shop-pages-back = السابق
shop-pages-next = التالي
shop-nothing-found = لم يُعثر على شيء
shop-nothing-found-hint = جرّب كلمات أقل أو موضوعًا آخر.
shop-show-all = عرض الكل
shop-programs-offer = خذ عدة دورات معًا ووفّر
shop-programs-all = كل البرامج
shop-new = جديد
shop-free = مجانًا
shop-instead-of = بدلًا من
shop-price-until = { $name }، حتى { $date }
shop-lowest-before = أدنى سعر في الثلاثين يومًا السابقة: { $amount }
shop-about = نحو { $amount }
shop-percent-off = −{ $percent }
shop-rated = التقييم { $rating } من 5
shop-not-for-sale = غير معروضة للبيع حاليًا

## A course or a program

shop-self-paced = بالوتيرة التي تناسبك
shop-scheduled = بمواعيد محددة
shop-outline = المحتوى
shop-outline-size = الأقسام: { $sections }، الدروس: { $lessons }
shop-lessons = { PLURAL($count) ->
    [zero] لا دروس
    [one] درس واحد
    [two] درسان
    [few] { $count } دروس
    [many] { $count } درسًا
   *[other] { $count } درس
}
shop-access-days = { PLURAL($days) ->
    [zero] بلا وصول
    [one] وصول ليوم واحد
    [two] وصول ليومين
    [few] وصول لمدة { $days } أيام
    [many] وصول لمدة { $days } يومًا
   *[other] وصول لمدة { $days } يوم
}
shop-access-until = الوصول حتى { $date }
shop-reviews = آراء المتعلمين
shop-choose = اختر كيف تتعلم
shop-seats-offer = شراء مقاعد لفريق
shop-seats-number = عدد المقاعد لآخرين
shop-gift-offer = اشترِه هدية
shop-gift = هدية
shop-gift-hint = يحصل المتلقي على المقعد ورسالتك في اليوم الذي تختاره. ومن دون عنوان تمنح المقعد بنفسك.
shop-gift-email = عنوان المتلقي
shop-gift-giver = اسمك كما يقرؤه المتلقي
shop-gift-on = اليوم (فارغ: حالًا)
shop-gift-message = رسالتك
shop-error-gift-on = اختر اليوم أو يومًا لاحقًا خلال سنة.
shop-gift-alone = الهدية طلب مستقل: اطلبها من دون العناصر الأخرى.
shop-add = أضف إلى السلة
shop-not-for-sale-hint = تمنح مؤسستها الدخول بدعوة، أو أغلقت التسجيل.
shop-full = اكتمل العدد في هذا المقرر
shop-full-hint = عندما يتوفر مكان ويحين دورك، تصلك رسالة، ويُحجز لك المكان لبعض الوقت.
shop-wait = انتظار مكان
shop-waiting-listed = أنت في قائمة الانتظار.
shop-waiting-asked = أرسلنا إليك رسالة. يُرجى أن تؤكد فيها أنك تريد الانتظار.
shop-has-code = هل لديك رمز لمكان؟
shop-included = يشمل
shop-starts = تبدأ في { $date }
shop-started = بدأت: يمكنك الالتحاق اليوم
shop-open-until = متاحة حتى { $date }
shop-certificate = شهادة عند النجاح
shop-receipt-included = إيصال بالبريد
shop-duration-hours = { PLURAL($count) ->
    [zero] { $count } ساعة
    [one] ساعة واحدة
    [two] ساعتان
    [few] { $count } ساعات
    [many] { $count } ساعة
   *[other] { $count } ساعة
}
shop-duration-days = { PLURAL($count) ->
    [zero] { $count } يوم
    [one] يوم واحد
    [two] يومان
    [few] { $count } أيام
    [many] { $count } يومًا
   *[other] { $count } يوم
}
shop-duration-weeks = { PLURAL($count) ->
    [zero] { $count } أسبوع
    [one] أسبوع واحد
    [two] أسبوعان
    [few] { $count } أسابيع
    [many] { $count } أسبوعًا
   *[other] { $count } أسبوع
}
shop-duration-months = { PLURAL($count) ->
    [zero] { $count } شهر
    [one] شهر واحد
    [two] شهران
    [few] { $count } أشهر
    [many] { $count } شهرًا
   *[other] { $count } شهر
}
shop-duration-years = { PLURAL($count) ->
    [zero] { $count } سنة
    [one] سنة واحدة
    [two] سنتان
    [few] { $count } سنوات
    [many] { $count } سنة
   *[other] { $count } سنة
}
shop-program-courses = الدورات بترتيبها
shop-achievements = ما ستحصل عليه في النهاية
shop-program-all = كل الدورات معًا
shop-program-alone = عند شرائها منفردة
shop-program-saved = توفّر
shop-program-single = تُباع كل دورة على حدة
shop-program-single-hint = ليس لهذا البرنامج سعر خاص. اختر من دوراته.
shop-program-certificates = شهادة لكل دورة تجتازها

## Modes

shop-mode-audit = بلا شهادة
shop-mode-honor = شهادة شرف
shop-mode-verified = شهادة موثقة
shop-mode-professional = مهني
shop-mode-bootcamp = معسكر تدريبي
shop-mode-executive-education = تعليم تنفيذي
shop-mode-credit = مع ساعات معتمدة
shop-mode-masters = ماجستير

## The basket

shop-basket-title = سلتك
shop-basket-empty = سلتك فارغة
shop-basket-empty-hint = أضف دورة أو برنامجًا وسيبقى هنا في انتظارك.
shop-look-courses = تصفّح الدورات
shop-start-again = البدء من جديد
shop-look-programs = تصفّح البرامج
shop-price-changed = تغيّر السعر. يُرجى مراجعته.
shop-reverse-charge-applied = لا تُحتسب ضريبة: تأكّد رقمك الضريبي، لذا تُقرّ شركتك بالضريبة بنفسها (احتساب عكسي).
shop-reverse-charge-invalid = تُحتسب الضريبة: لا يعرف سجل الاتحاد الأوروبي هذا الرقم الضريبي. يُرجى مراجعته أو حذفه.
shop-reverse-charge-unavailable = تُحتسب الضريبة لأن سجل الاتحاد الأوروبي لا يستطيع تأكيد الرقم الضريبي الآن. للشراء دون ضريبة، يُرجى المحاولة لاحقًا.
shop-baskets-others = لكل أكاديمية سلة خاصة بها. لديك أيضًا:
shop-basket-items = { PLURAL($count) ->
    [zero] لا عناصر
    [one] عنصر واحد
    [two] عنصران
    [few] { $count } عناصر
    [many] { $count } عنصرًا
   *[other] { $count } عنصر
}
shop-basket-full = سلتك ممتلئة، لذا لم يُضف شيء. يُرجى إتمام طلب ما فيها أولًا أو إزالة شيء منها.
shop-error-required = يُرجى ملء هذا الحقل.
shop-error-check = يُرجى مراجعة ما أدخلته.
shop-error-voucher = لا ينطبق هذا الرمز على هذا الطلب.
shop-error-seats = أدخل عدد مقاعد من 1 إلى 1000.
shop-error-item = لا يمكن شراء هذا الآن. يُرجى إزالته.
shop-error-items = لا يمكن شراء هذه معًا. يُرجى إزالة شيء منها.
shop-error-emails = يُرجى مراجعة العناوين: واحد في كل سطر، و500 على الأكثر.
shop-seats-count = { PLURAL($count) ->
    [zero] لا مقاعد
    [one] مقعد واحد
    [two] مقعدان
    [few] { $count } مقاعد
    [many] { $count } مقعدًا
   *[other] { $count } مقعد
}
shop-upgrade = ترقية من: { $mode }
shop-remove = إزالة
shop-item-course = دورة
shop-item-program = برنامج
shop-subtotal = المجموع الفرعي
shop-regional = خصم لبلدك
shop-discount = خصم
shop-quote-until = هذه الأسعار سارية حتى { $date }.
shop-voucher-line = القسيمة { $code }
shop-voucher = القسيمة
shop-voucher-apply = تطبيق
shop-voucher-accepted = مقبولة
shop-voucher-refused = غير مقبولة
shop-voucher-unknown = هذا الرمز غير معروف.
shop-voucher-not_started = لم تبدأ صلاحيتها بعد.
shop-voucher-expired = انتهت صلاحيتها.
shop-voucher-exhausted = استُنفدت مرات استخدامها.
shop-voucher-not_for_these_items = هي لدورات أخرى.
shop-voucher-currency = هي لعملة أخرى.
shop-checkout = إتمام الطلب
shop-sign-in-hint = مع حساب تتاح دوراتك فورًا.
shop-email = البريد الإلكتروني
shop-email-hint = نرسل الإيصال إليه، وتجد دوراتك في حساب هذا العنوان.
shop-billing = عنوان الفاتورة
shop-pay-by-invoice = الدفع بالفاتورة، كشركة
shop-invoice-company = للدفع بالفاتورة، أدخل اسم الشركة والرقم الضريبي الذي يعرفها البائع به.
shop-invoice-sent = الفاتورة في طريقها إليك عبر البريد الإلكتروني.
shop-optional = (إن احتجت إليه في الفاتورة)
shop-address-needed = (يتطلب الدفع الحقول المعلّمة بـ *)
shop-field-name = الاسم
shop-field-company = الشركة
shop-field-tax_id = الرقم الضريبي
shop-field-line1 = الشارع
shop-field-city = المدينة
shop-field-postal_code = الرمز البريدي
shop-field-state = الولاية
shop-field-country = البلد
shop-consents = قبل الشراء
shop-consents-missing = مع هذا العنوان يلزم أن توافق على أمر آخر. يُرجى مراجعة ما هو مذكور أدناه.
shop-terms = اقرأ شروط البيع
shop-consent-terms = أوافق على شروط البيع.
shop-consent-begin_now = أريد البدء فورًا، قبل انتهاء مهلة العدول.
shop-consent-loses_right = أعلم أنني أفقد بذلك حقي في العدول.
shop-take = الحصول على الدورات
shop-buy-for = شراء مقابل { $amount }
shop-buy-hint = تدفع في الصفحة التالية. لا تصل بيانات بطاقتك إلى هذا المتجر أبدًا.

## Payment

shop-payment = الدفع
shop-leaving = تدفع في صفحة مزود الدفع
shop-leaving-hint = تُفتح تلقائيًا، ثم تعود إلى طلبك هنا.
shop-leave = انتقل الآن
shop-pay-unavailable = تعذّر الوصول إلى مزوّد الدفع.
shop-pay-kept = طلبك محفوظ ولم يُحصَّل أي مبلغ. يُرجى المحاولة مرة أخرى، أو الرجوع واختيار طريقة أخرى.
shop-pay-again = المحاولة مرة أخرى

## Orders

shop-order-title = طلبك
shop-order-number = الطلب
shop-orders-title = طلباتك
shop-orders-none = ليست لديك طلبات بعد
shop-orders-none-hint = يظهر هنا ما تشتريه مع فواتيره.
shop-timeline = سير الطلب
shop-step-placed = الطلب
shop-step-paid = الدفع
shop-step-access = الدخول
shop-step-receipt = الإيصال
shop-step-invoice = الفاتورة
shop-step-waiting = في انتظار مزود الدفع
shop-step-transfer = في انتظار تحويلك
shop-step-closed = لم يُدفع
shop-step-account = في حساب عنوانك فور وجوده
shop-step-enrolled = دوراتك متاحة لك
shop-step-seats = يمكنك توزيع المقاعد
shop-step-working = لحظة من فضلك
shop-step-refused = رفضته المنصة، والمؤسسة تنظر في الأمر
shop-step-ended = انتهى
shop-step-mail = في بريدك
shop-enrollment-none = ليس بعد
shop-enrollment-enrolled = مسجّل
shop-enrollment-pending_registration = في انتظار حساب
shop-enrollment-removed = انتهى
shop-enrollment-refused = رفضته المنصة
shop-refund = طلب استرداد المبلغ
shop-refund-until = حتى { $date }
shop-refunded = استُرد { $amount }
shop-documents = الفواتير والإشعارات الدائنة
shop-next = ما الخطوة التالية
shop-next-mail = الإيصال في بريدك.
shop-next-account = سجّل الدخول بذلك العنوان لترى الطلب في حسابك.

## Seats

shop-seats-title = مقاعدك
shop-seats-none = لم تشترِ مقاعد
shop-seats-none-hint = يمكنك شراء مقاعد لآخرين في أي دورة مدفوعة.
shop-seats-manage = إدارة المقاعد
shop-seats-mail = الرابط في بريدك يفتح المقاعد.
shop-seats-left = المقاعد المتبقية: { $left } من { $seats }
shop-batch = نتيجة كل عنوان
shop-batch-waiting = تُحدَّث هذه الصفحة حتى تنتهي معالجة كل العناوين.
shop-assigned = من لديه مقعد
shop-assigned-none = لا أحد بعد.
shop-seat = المقعد
shop-seat-pending = في انتظار حساب
shop-seat-enrolled = مسجّل
shop-seat-ended = سُحب
shop-take-back = سحب
shop-remind = تذكير من لم يسجلوا
shop-reminded = { PLURAL($count) ->
    [zero] لم يُرسل أي تذكير.
    [one] تذكير واحد في طريقه إلى صاحبه.
    [two] تذكيران في طريقهما إلى صاحبيهما.
    [few] { $count } تذكيرات في طريقها إلى أصحابها.
    [many] { $count } تذكيرًا في طريقها إلى أصحابها.
   *[other] { $count } تذكير في طريقها إلى أصحابها.
}
shop-reminded-recently = { PLURAL($count) ->
    [zero] لا عناوين تلقّت رسالة خلال اليوم الأخير.
    [one] تلقّى عنوان واحد رسالة خلال اليوم الأخير، ولن يتلقى غيرها اليوم.
    [two] تلقّى عنوانان رسالة خلال اليوم الأخير، ولن يتلقيا غيرها اليوم.
    [few] تلقّت { $count } عناوين رسالة خلال اليوم الأخير، ولن تتلقى غيرها اليوم.
    [many] تلقّى { $count } عنوانًا رسالة خلال اليوم الأخير، ولن تتلقى غيرها اليوم.
   *[other] تلقّى { $count } عنوان رسالة خلال اليوم الأخير، ولن تتلقى غيرها اليوم.
}
shop-reminded-none = لم يُذكَّر أحد: لا مقعد ينتظر تسجيلًا.
shop-taken-back-free = سُحب المقعد. يمكنك منحه لشخص آخر.
shop-taken-back-spent = سُحب المقعد وانتهى الوصول به. كان مستخدَمًا، لذا لا يمكن منحه مرة أخرى.
shop-taken-back-none = لم يتغير شيء: ليس لهذا العنوان مقعد.
shop-row-repeated = مكرّر في القائمة
shop-row-used-up = لم تبقَ مقاعد
shop-row-address = ليس عنوانًا يمكن مراسلته
shop-row-refused = لم يحصل على مقعد
shop-assign = تخصيص مقاعد
shop-assign-emails = عناوين البريد، واحد في كل سطر
shop-assign-do = تخصيص
shop-code = الرمز:
shop-code-hint = يمكن لكل شخص أن يأخذ مقعدًا واحدًا بطلب هذه الدورة باستخدام الرمز كقسيمة.

## Faults

shop-fault-missing = لا توجد صفحة كهذه
shop-fault-hint-missing = ربما نُقلت، أو في العنوان خطأ كتابي.
shop-fault-busy = محاولات كثيرة
shop-fault-hint-busy = يُرجى المحاولة مجددًا بعد دقيقة.
shop-fault-unavailable = لم ينجح ذلك
shop-fault-hint-unavailable = خدمة نحتاج إليها لا تستجيب. لم يُفقد شيء: حاول مجددًا بعد لحظة.
shop-fault-foreign = جاء هذا النموذج من مكان آخر
shop-fault-hint-foreign = صفحات هذا المتجر وحدها ترسل نماذجه. افتح الصفحة هنا من جديد، ثم أرسل النموذج منها.
shop-fault-unreadable = تعذرت قراءة ذلك
shop-fault-hint-unreadable = في العنوان أو في النموذج شيء غير صحيح. ارجع وحاول مجددًا.
shop-fault-refused = لم ينجح ذلك
shop-fault-hint-refused = يُرجى الرجوع ومراجعة ما أدخلته ثم المحاولة مجددًا.
shop-fault-hint-link = تعمل روابط الرسائل لمدة محدودة. يُرجى تسجيل الدخول بالعنوان الذي أُرسلت إليه، أو طلب رابط جديد من المؤسسة.
shop-to-basket = العودة إلى السلة

### The course platform's catalog

slot-buy-certificate = شراء الشهادة
slot-buy-course = شراء الدورة
slot-sold-out = نفدت المقاعد
slot-certificate-sold-out = الشهادة: نفدت المقاعد
slot-tax-rate = شاملًا ضريبة { $rate }
slot-tax-included = شاملًا الضريبة
slot-tax-excluded = تُضاف الضريبة
slot-price-before = السعر قبل الخصم:
slot-price-now = السعر:
slot-program = البرنامج { $name }:
