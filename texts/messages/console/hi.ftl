# Hindi. Address the reader as आप.

### Every page

## The frame of each page

console-title = कंसोल
console-skip = मुख्य सामग्री पर जाएँ
console-desk = सहायता डेस्क
console-search = खोजें
console-search-for = पता, नाम, कंपनी, ऑर्डर, संदर्भ, पाठ्यक्रम, कोड
console-other-shop = दूसरी दुकान
console-sign-out = साइन आउट करें
console-zone = दिन और समय { $zone } के हैं।

## Links below a long list

console-pages = पेज
console-previous = पीछे
console-page = पेज { $n }
console-next = आगे

## Moments and times

console-age-now = एक मिनट से कम समय से
console-age-minutes = { $n } मिनट से
console-age-hours = { $n } घंटे से
console-age-days = { $n } दिन से
console-since = { $date } से

## Words that are headings of columns, names of fields, or buttons

console-action = कार्रवाई
console-address = पता
console-addresses = पते
console-amount = राशि
console-budget = बजट
console-buyer = ख़रीदार
console-campaign = अभियान
console-change = बदलें
console-code = कोड
console-course = पाठ्यक्रम
console-courses = पाठ्यक्रम
console-filter = छाँटें
console-mode = मोड
console-note = टिप्पणी
console-order = ऑर्डर
console-orders = ऑर्डर
console-placed = ऑर्डर की तारीख़
console-price = क़ीमत
console-reason = कारण
console-refunded = लौटाई गई राशि
console-row = पंक्ति
console-rows = पंक्तियाँ
console-save = सहेजें
console-status = स्थिति
console-tax = कर
console-total = कुल
console-url = URL
console-uses = उपयोग
console-uses-in-all = कुल उपयोग
console-uses-by-one = प्रति ख़रीदार उपयोग
console-takes-off = छूट
console-taken-off = दी गई छूट
console-valid-from = कब से मान्य
console-valid-until = कब तक मान्य
console-no-end = अंतिम तारीख़ नहीं
console-no-limit = कोई सीमा नहीं
console-ended = समाप्त
console-of = { $whole } में से { $part }
console-last-30-days = पिछले 30 दिन

## What several pages say

console-will-happen = क्या होगा
console-on-record = यह आपके नाम ({ $name }) से दर्ज होता है।
console-show-first = दिखाएँ कि क्या होगा
console-ask-platform = पाठ्यक्रम प्लेटफ़ॉर्म से फिर पूछें
console-look-again = फिर से देखें
console-progress = प्रगति
console-done-of = { $total } में से { $done } पूरे।
console-done-and-failed = { $total } में से { $done } पूरे, { $failed } विफल।

### Stored words, each as a tag or in a column

## Status of an order


## Status of a person's access to a course

access-status-enrolled = नामांकित
access-status-pending-registration = पंजीकरण की प्रतीक्षा
access-status-removed = हटाया गया
access-status-refused = अस्वीकृत
access-status-cancelled = रद्द
access-status-none = कोई नहीं

## Status of a payment

payment-status-created = बनाया गया
payment-status-processing = प्रक्रिया में
payment-status-succeeded = सफल
payment-status-failed = विफल
payment-status-cancelled = रद्द
payment-status-superseded = दूसरे से बदला गया
payment-status-refunded = लौटाया गया

## Status of a refund

refund-status-asked = अनुरोध किया गया
refund-status-accepted = स्वीकृत
refund-status-succeeded = सफल
refund-status-failed = विफल

## Status of a dispute at the buyer's bank

dispute-status-open = खुला
dispute-status-won = जीता
dispute-status-lost = हारा

## Status of a withdrawal

withdrawal-status-received = प्रतीक्षा में
withdrawal-status-unmatched = किसी ऑर्डर से मेल नहीं
withdrawal-status-accepted = स्वीकृत
withdrawal-status-refused = अस्वीकृत

## Status of a row of a batch, and of the batch

row-status-waiting = प्रतीक्षा में
row-status-done = पूरी
row-status-failed = विफल
batch-status-running = जारी
batch-status-done = पूरा

## Status of a seat that an address has

seat-status-pending = पंजीकरण की प्रतीक्षा
seat-status-enrolled = नामांकित
seat-status-ended = समाप्त

## Status of a voucher's use

use-status-held = भुगतान की प्रतीक्षा
use-status-used = उपयोग हुआ
use-status-released = लौटाया गया
use-status-late = देर से भुगतान

## Status of an event's delivery to an endpoint

delivery-status-waiting = प्रतीक्षा में
delivery-status-delivered = पहुँचा
delivery-status-given-up = प्रयास बंद

## What a row of a batch does

action-enroll = नामांकन करें
action-unenroll = नामांकन हटाएँ

## What a voucher takes off

voucher-kind-percent = प्रतिशत
voucher-kind-amount = राशि
voucher-kind-seat = सीट

## Movements of money, in reports

movement-captured = भुगतान
movement-refunded = रिफ़ंड
movement-refund-failed = विफल रिफ़ंड
movement-chargeback = चार्जबैक
movement-chargeback-reversed = पलटा गया चार्जबैक
movement-moved = स्थानांतरण
movement-fee = शुल्क
movement-payout = बैंक में भुगतान

## Documents

document-kind-invoice = इनवॉइस
document-kind-credit-note = क्रेडिट नोट
document-status-requested = अनुरोध किया गया
document-status-issued = जारी
document-status-refused = अस्वीकृत
document-status-cancelled = रद्द

## Mails to buyers and learners

mail-kind-receipt = रसीद
mail-kind-invoice = इनवॉइस
mail-kind-invoice-cancelled = इनवॉइस रद्द
mail-kind-invoice-corrected = सुधारा हुआ इनवॉइस
mail-kind-access-moved = स्थानांतरण
mail-kind-transfer-requested = भुगतान कैसे करें
mail-kind-document-again = दस्तावेज़ का लिंक
mail-kind-document-follows = बाद में भेजा गया दस्तावेज़
mail-kind-refund-issued = रिफ़ंड
mail-kind-registration-invitation = आमंत्रण
mail-kind-seats-ready = सीटें
mail-kind-seat-assigned = सीट
mail-kind-withdrawal-received = वापसी मिली
mail-kind-withdrawal-refused = वापसी अस्वीकृत

## What of an order the text of a search was

found-by-order = ऑर्डर
found-by-payment = भुगतान
found-by-refund = रिफ़ंड
found-by-dispute = विवाद
found-by-document = दस्तावेज़
found-by-reference = ख़रीदार की ऑर्डर संख्या
found-by-transfer = बैंक का संदर्भ
found-by-course = पाठ्यक्रम
found-by-address = पता
found-by-name = नाम
found-by-company = कंपनी
found-by-tax-id = कर पहचान संख्या

## Roles of the staff

role-support = सहायता
role-finance = वित्त
role-manager = प्रबंधक

### The start page

start-title = होम
start-heading = कार्रवाई ज़रूरी
start-nothing = आपके लिए कुछ बाक़ी नहीं है।
start-decide = निर्णय लें …
start-decide-text = फिर से संसाधित करने पर यह वह काम करता है जो पहले नहीं हो सका। हटाने पर यह हमेशा के लिए चला जाता है, और जो काम इससे होना था, वह नहीं होता।
start-process-again = फिर से संसाधित करें
start-drop = हमेशा के लिए हटाएँ
start-mail-again = ईमेल फिर से भेजें
start-open-withdrawal = वापसी खोलें
start-open-invoice = इनवॉइस का अनुरोध खोलें
start-open-events = इवेंट खोलें
start-open-order = ऑर्डर खोलें
start-open-person = व्यक्ति का पेज खोलें
start-today = आज
start-paid = भुगतान
start-orders = { $n } ऑर्डर
start-no-money = आधी रात से कोई लेन-देन नहीं हुआ।
owed-title = बकाया
owed-text = ऐसे ऑर्डर जिनका ट्रांसफ़र या इनवॉइस अभी नहीं चुकाया गया, सबसे पुरानी देय तिथि पहले।
owed-open = बाकी
owed-overdue = देय तिथि बीती
owed-how = भुगतान
owed-on-account = उधार पर
owed-none = कुछ बकाया नहीं है।
owed-pending-text = ऐसे भुगतान जिन पर प्रदाता अभी काम कर रहा है, जैसे बैंक डेबिट, सबसे पुराने ऑर्डर पहले।
owed-until = { $month } के अंत तक के ऑर्डर।
owed-all = सब दिखाएँ
owed-placed = ऑर्डर की तारीख़
owed-at-provider = प्रदाता के पास

## The chart of orders by day

start-chart = पिछले 30 दिनों में { $up } का भुगतान हुआ और { $down } बिना भुगतान समाप्त हुए; एक दिन में ज़्यादा से ज़्यादा { $most }
start-chart-day = { $day }: { $up } का भुगतान हुआ, { $down } बिना भुगतान समाप्त हुए
start-chart-up = { $n } का भुगतान हुआ
start-chart-down = { $n } बिना भुगतान समाप्त

## Tags: what waits for a person

waiting-kind-payment = भुगतान
waiting-kind-notification = सूचना
waiting-kind-access = पहुँच
waiting-kind-enrollment = नामांकन
waiting-kind-refund = रिफ़ंड
waiting-kind-refund-to-pay = रिफ़ंड
waiting-kind-overdue = देय तिथि बीती
waiting-kind-invoice = इनवॉइस
waiting-kind-document = दस्तावेज़
waiting-kind-withdrawal = वापसी
waiting-kind-mail = ईमेल
waiting-kind-endpoint = एंडपॉइंट
waiting-kind-dead-letter = संदेश

## What waits for a person, and what to do about it

waiting-payment = इस भुगतान पर निर्णय लेना है। कारण पढ़ें, कार्रवाई करें, फिर अलर्ट बंद करें।
waiting-notification = भुगतान प्रदाता की सूचना रिकॉर्ड से मेल नहीं खाती। उसे प्रदाता के डैशबोर्ड से मिलाएँ।
waiting-access = ऑर्डर का भुगतान हो चुका है, पर उसके पाठ्यक्रम अभी खुले नहीं हैं।
waiting-enrollment = पाठ्यक्रम प्लेटफ़ॉर्म ने नामांकन से मना कर दिया है। कारण वहाँ दूर करें, फिर यहाँ दोबारा कोशिश करें।
waiting-refund = भुगतान प्रदाता ने रिफ़ंड का उत्तर अभी नहीं दिया है। उससे अपने आप फिर पूछा जाएगा।
waiting-refund-to-pay = रिफ़ंड अपने बैंक से भेजें। फिर बताएँ कि वह पहुँच गया है या वापस आ गया।
waiting-overdue = राशि की देय तिथि बीत गई और वह नहीं आई। ख़रीदार को याद दिलाएँ, जो आया है उसे दर्ज करें, या ऑर्डर रद्द करें।
waiting-invoice = सहायता टीम सुधारा हुआ इनवॉइस माँगती है, जिसके साथ कर लौटाया जाता है। पुष्टि करें या मना करें।
waiting-document = दूसरे सिस्टम ने एक दिन से दस्तावेज़ जारी नहीं किया है। वहाँ पूछें, या बताएँ कि वह क्या कहता है।
waiting-withdrawal = एक ख़रीदार ने वापसी घोषित की है। उसे स्वीकार करें, राशि का एक हिस्सा लौटाएँ, या कारण बताकर अस्वीकार करें; रिफ़ंड घोषणा के 14 दिन बाद देय है।
waiting-mail = ईमेल नहीं पहुँचा। पता ठीक करें, या ईमेल फिर से भेजें।
waiting-endpoint = इस पते पर अब इवेंट नहीं पहुँचाए जा रहे हैं। प्राप्तकर्ता को ठीक करें, फिर इसे चालू करें।
waiting-dead-letter = एक संदेश संसाधित नहीं हो सका। कारण दूर करें, फिर उसे दोबारा संसाधित करें; उसे तभी हटाएँ जब कुछ न होना हो।

### Where do you work: for a person on the staff of several shops

choose-title = आज आप कहाँ काम करेंगे?
choose-hello = नमस्ते { $name }। आप इन संस्थानों के स्टाफ़ में हैं।

### What a search has found

search-results = “{ $text }” के परिणाम
search-short = कम से कम 2 अक्षर लिखें: कोई पता, इनवॉइस पर लिखे नाम या कंपनी का हिस्सा, उसकी कर पहचान संख्या, ऑर्डर, दस्तावेज़ की संख्या, ख़रीदार की अपनी ऑर्डर संख्या, ट्रांसफ़र, आपके बैंक या भुगतान प्रदाता का संदर्भ, वाउचर का कोड, या पाठ्यक्रम का नाम या आईडी।
search-none = { $organisation } में इससे मेल खाता कुछ नहीं है। पूरा पता, या इनवॉइस पर लिखे नाम या कंपनी के कम से कम तीन अक्षर लिखकर देखें। दूसरी दुकान का ऑर्डर यहाँ नहीं दिखता।
search-voucher = वाउचर
search-course = पाठ्यक्रम
search-found-by = किससे मिला
search-more = इनके अलावा और भी परिणाम हैं। खोज सीमित करने के लिए कुछ और लिखें।

### An order

order-title = { $email } का ऑर्डर
order-placed = { $date } को किया गया
order-former-shop = यहाँ लाए जाने से पहले { $shop } ने बेचा था: केवल अभिलेख। रिफ़ंड और रसीद वहीं माँगें।
order-former-shop-account = यहाँ लाए जाने से पहले { $shop } ने बेचा था। भुगतान { $provider } के उसी खाते से हुआ था जो यहाँ इस्तेमाल होता है, इसलिए रिफ़ंड यहीं से हो सकता है। रसीद वहीं माँगें।
order-alert = इस भुगतान पर निर्णय लेना है
order-alert-done = इसके लिए क्या किया गया
order-alert-close = अलर्ट बंद करें
order-bought = ख़रीदा गया
order-lines = आइटम
order-line = आइटम
order-access = पहुँच
order-seats = { PLURAL($n) ->
    [one] { $n } सीट
   *[other] { $n } सीटें
}
order-gift = उपहार
order-gift-given = { $date } को दिया गया
order-gift-planned = { $date } के लिए
order-is-moving = { $course } में स्थानांतरण जारी है
order-is-moving-to-person = दूसरे व्यक्ति को स्थानांतरण जारी है
order-moved = { $course } में स्थानांतरित
order-moved-to-person = दूसरे व्यक्ति को स्थानांतरित
order-total-with-voucher = { $code } के साथ कुल

## Refund

order-refund = रिफ़ंड करें …
order-refund-text = ऊपर जिन आइटम पर निशान लगाएँगे, उनका रिफ़ंड होगा और उन तक पहुँच समाप्त होगी; पूरे ऑर्डर के रिफ़ंड के लिए कोई निशान न लगाएँ। कुछ भी होने से पहले अगला पेज दिखाता है कि क्या होगा।
order-refund-amount = राशि, अगर कम हो
order-refund-all-left = जो भी बचा है
order-refund-keep = सद्भावना: राशि लौटाएँ और कोई पहुँच समाप्त न करें

## Move

order-move = स्थानांतरित करें …
order-move-text = यह आइटम किसी दूसरे पाठ्यक्रम तक पहुँच देता है, या अपनी पहुँच किसी दूसरे व्यक्ति को देता है। कोई राशि नहीं चलती, और इनवॉइस वैसा ही रहता है। अगला पृष्ठ दिखाता है कि क्या होगा।
order-move-course = इस पाठ्यक्रम में
order-move-person = इस पते वाले व्यक्ति को

## Access: what the course platform says about it

order-withdrawals = वापसियाँ
order-platform-agrees = पाठ्यक्रम प्लेटफ़ॉर्म सहमत है
order-platform-refused = पाठ्यक्रम प्लेटफ़ॉर्म ने मना किया
order-platform-waits = पाठ्यक्रम प्लेटफ़ॉर्म व्यक्ति के पंजीकरण की प्रतीक्षा में है
order-platform-not-yet = पाठ्यक्रम प्लेटफ़ॉर्म ने अभी पुष्टि नहीं की है
order-access-ended = { $date } को समाप्त:

## Money, mails and documents

order-money-back = लौटा हुआ धन
order-refund-to-pay = राशि अपने बैंक से वापस भेजें, फिर बताएँ कि उसका क्या हुआ।
order-refund-arrived = राशि पहुँच गई है
order-refund-back = राशि वापस आ गई
order-dispute = बैंक में { $amount } पर विवाद
order-payment = भुगतान
order-transfer = बैंक ट्रांसफ़र
order-transfer-reference = भुगतान संदर्भ
order-transfer-due = देय तिथि
order-transfer-open = भुगतान बाकी
order-payment-book = भुगतान दर्ज करें …
order-payment-text = आपका बैंक जो दिखाता है उसे दर्ज करें। { $amount } पूरा मिलते ही पाठ्यक्रम खुल जाते हैं और ख़रीदार को रसीद मिलती है।
order-payment-day = बैंक में दिन
order-payment-reference = बैंक का संदर्भ
order-payment-submit = यह भुगतान दर्ज करें
order-payment-is-back = वापस भेजा गया
order-payment-return-text = पहले अपने बैंक से { $amount } वापस भेजें। उसके बाद यह राशि नहीं गिनी जाती।
order-payment-return = वापस भेज दिया गया
order-payment-end = ऑर्डर समाप्त करें …
order-payment-end-text = इसके लिए कोई राशि नहीं मिली है। इसका वाउचर और सीटें दूसरों के लिए खाली हो जाती हैं। फिर भी कोई ट्रांसफ़र आए तो उसे माना जाता है और सूचना दी जाती है।
order-payment-end-submit = यह ऑर्डर समाप्त करें
order-document-report = परिणाम बताएँ …
order-document-text = बताएँ कि दूसरा सिस्टम क्या कहता है।
order-document-number = नंबर
order-document-day = दस्तावेज़ पर तारीख़
order-document-total = कुल
order-document-authority = प्राधिकरण का सिस्टम
order-document-qr = QR कोड की सामग्री
order-document-issued = यह जारी हो गया
order-document-refused = यह अस्वीकृत हुआ
order-document-cancel = { $number } रद्द हुआ …
order-document-cancel-text = केवल तभी, जब वह वहाँ रद्द हुआ हो जहाँ जारी हुआ था। फिर से अनुरोध किए जाने तक ऑर्डर में यह दस्तावेज़ नहीं रहेगा।
order-document-cancelled = यह रद्द हुआ
order-document-anew = फिर से अनुरोध करें
order-invoice-on-account = उधार पर: इनवॉइस भुगतान से पहले जारी हुआ।
order-invoice-overdue = देय तिथि बीत गई
order-invoice-cancel = इनवॉइस रद्द करें …
order-invoice-cancel-text = इसके लिए कोई राशि नहीं मिली है। एक क्रेडिट नोट इनवॉइस को रद्द करता है और पहुँच समाप्त हो जाती है। फिर भी कोई ट्रांसफ़र आए तो उसे लौटा दें।
order-invoice-cancel-submit = यह इनवॉइस रद्द करें
order-reverse-charge-applied = रिवर्स चार्ज: VIES ने VAT संख्या की पुष्टि की, परामर्श संख्या { $number }।
order-reverse-charge-invalid = कर लिया गया: VIES इस VAT संख्या को नहीं जानता।
order-reverse-charge-unavailable = कर लिया गया: VIES ने नहीं बताया कि VAT संख्या मान्य है या नहीं।
order-provider = भुगतान प्रदाता
order-reference = संदर्भ
order-at-bank-since = बैंक में कब से लंबित
order-disputed = विवाद की तारीख़
order-mails = ईमेल और दस्तावेज़
order-mail = { $mail }, { $email } को
order-mail-failed = विफल
order-mail-waits = प्रतीक्षा में
order-mail-sent = भेजा गया
order-mail-deferred = सर्वर ने टाला
order-mail-delivered = पहुँचा
order-mail-again = फिर से भेजें
order-no-mails = कुछ भी बाक़ी नहीं है। भेजे गए ईमेल ऑर्डर के इतिहास में हैं।
order-receipt-again = { $email } को रसीद फिर से भेजें
order-invoice-again = { $email } को इनवॉइस फिर से भेजें
order-invoice-correct = इनवॉइस सुधारें …
order-invoice-asked = वित्त से सुधारा हुआ इनवॉइस माँगा गया है
order-invite-again = { $email } को आमंत्रण फिर से भेजें
order-correct-address = पता ठीक करें …
order-correct-address-text = उस अतिथि के लिए जिसने पता ग़लत लिखा। { $email } के लिए जो कुछ प्रतीक्षा में है, वह नए पते पर चला जाता है; अगर उस पते का खाता नहीं है, तो उसे पंजीकरण का आमंत्रण मिलता है। इनवॉइस वैसा ही रहता है।
order-right-address = सही पता
order-correct-address-submit = ऑर्डर को इस पते पर ले जाएँ

## The history: each entry is a sentence, and who did it

order-history = ऑर्डर का इतिहास
order-by = { $name } द्वारा
timeline-by-system = सिस्टम
timeline-by-client = दुकान
timeline-by-guest = ख़रीदार (अतिथि)
timeline-by-learner = ख़रीदार (साइन इन)
timeline-by-provider = भुगतान प्रदाता
timeline-by-staff = स्टाफ़ (खाता { $id })
timeline-by-operator = { $name } (ऑपरेटर)
timeline-by-key = संस्थान की कुंजी { $id }

timeline-cart-open = टोकरी बनाई गई।
timeline-cart-placed = ऑर्डर किया गया।
timeline-cart-pending-payment = ऑर्डर किया गया, और उसके भुगतान की प्रतीक्षा है।
timeline-cart-held = ऑर्डर किया गया; इस पते का पंजीकरण होते ही उसके पाठ्यक्रम खुल जाएँगे।
timeline-cart-paid = ऑर्डर का भुगतान हुआ।
timeline-cart-fulfilled = ऑर्डर पूरा है: प्रवेश दे दिया गया।
timeline-cart-cancelled = ऑर्डर रद्द किया गया।
timeline-cart-expired = बिना भुगतान के ऑर्डर का समय समाप्त हुआ।
timeline-cart-refunded = ऑर्डर समाप्त हुआ: सारा पैसा वापस चला गया।
timeline-cart-invoice-corrected = इनवॉइस पर ख़रीदार सुधारा गया।
timeline-cart-document-issued = एक दस्तावेज़ जारी होने की सूचना मिली।
timeline-cart-document-refused = एक दस्तावेज़ अस्वीकार किया गया।
timeline-cart-document-cancelled = एक दस्तावेज़ वहाँ रद्द किया गया जहाँ वह जारी हुआ था।
timeline-cart-document-replaced = अस्वीकृत या रद्द किया गया दस्तावेज़ फिर से माँगा गया।
timeline-cart-invoice-asked = वित्त से सुधारा हुआ इनवॉइस माँगा गया।
timeline-cart-invoice-refused = वित्त ने सुधारे हुए इनवॉइस से मना किया।
timeline-cart-invoice-paid = इनवॉइस का भुगतान हो गया।
timeline-cart-restored = पहुँच फिर से दी गई।
timeline-cart-access-blocked = प्रवेश किसी व्यक्ति की प्रतीक्षा में है।
timeline-cart-access-restored = जिस प्रवेश पर यह ऑर्डर टिका है, वह वापस आ गया, इसलिए प्रवेश दे दिया गया।
timeline-cart-mail-sent = “{ $mail }” ईमेल भेजा गया।
timeline-cart-mail-again = “{ $mail }” ईमेल फिर से भेजा गया।
timeline-cart-move-asked = { $from } से { $to } में स्थानांतरण का अनुरोध हुआ।
timeline-cart-move-withdrawn = { $to } में स्थानांतरण का अनुरोध वापस लिया गया।
timeline-cart-moved = पहुँच { $from } से { $to } में गई।
timeline-cart-moved-to-person = { $to } तक पहुँच दूसरे व्यक्ति को मिली।
timeline-cart-address-corrected = ख़रीदार का पता ठीक किया गया।
timeline-alert-closed = अलर्ट बंद किया गया: { $alert }।
timeline-transaction-created = भुगतान तैयार किया गया।
timeline-transaction-processing = भुगतान प्रदाता के यहाँ भुगतान शुरू हुआ।
timeline-transaction-succeeded = भुगतान पहुँच गया।
timeline-transaction-failed = भुगतान विफल हुआ।
timeline-transaction-cancelled = भुगतान रद्द किया गया।
timeline-transaction-superseded = भुगतान की जगह दूसरा प्रयास आया।
timeline-transaction-refunded = भुगतान पूरा लौटाया गया।
timeline-transaction-partly-refunded = भुगतान में से अब तक { $refunded } लौटाए गए हैं।
timeline-transaction-lost = भुगतान में से { $lost } बैंक ने वापस ले लिए।
timeline-transaction-held = विवाद के कारण भुगतान में से { $lost } रोके गए हैं।
timeline-transaction-refunded-and-lost = भुगतान में से { $refunded } लौटाए गए और { $lost } बैंक ने वापस ले लिए।
timeline-transaction-nothing-back = भुगतान में से अब कुछ भी लौटाया या वापस लिया हुआ नहीं है।
timeline-transaction-charged = भुगतान प्रदाता ने ऑर्डर से अलग राशि ली।
timeline-transaction-received = { $amount } बैंक में पहुँचा।
timeline-transaction-returned = { $amount } बैंक से वापस भेजा गया।
timeline-transaction-event-applied = रिकॉर्ड के विपरीत एक सूचना लागू की गई।
timeline-refund-asked = रिफ़ंड का अनुरोध हुआ।
timeline-refund-accepted = भुगतान प्रदाता ने रिफ़ंड स्वीकार किया।
timeline-refund-succeeded = रिफ़ंड पूरा हुआ।
timeline-refund-failed = रिफ़ंड विफल हुआ।
timeline-withdrawal-objected = ऑर्डर के पते के धारक ने कहा कि यह वापसी उनकी नहीं है।
timeline-withdrawal-received = वापसी घोषित की गई।
timeline-withdrawal-unmatched = वापसी दूसरे पते से घोषित की गई।
timeline-withdrawal-accepted = वापसी स्वीकार की गई।
timeline-withdrawal-refused = वापसी अस्वीकार की गई।
timeline-the-course = पाठ्यक्रम
timeline-enrollment-enrolled = { $course }: पहुँच दी गई।
timeline-enrollment-pending-registration = { $course }: इस पते के पंजीकरण की प्रतीक्षा है।
timeline-enrollment-removed = { $course }: पहुँच समाप्त हुई।
timeline-enrollment-synced = { $course }: पाठ्यक्रम प्लेटफ़ॉर्म सहमत है।
timeline-enrollment-refused = { $course }: पाठ्यक्रम प्लेटफ़ॉर्म ने मना किया।
timeline-enrollment-retried = { $course }: नामांकन की फिर से कोशिश हो रही है।
timeline-notification = भुगतान प्रदाता ने { $what } की सूचना दी।
timeline-dispute-open = ख़रीदार के बैंक ने विवाद खोला, जो अभी खुला है।
timeline-dispute-won = ख़रीदार के बैंक ने विवाद खोला, जो अब जीत लिया गया है।
timeline-dispute-lost = ख़रीदार के बैंक ने विवाद खोला, जिसमें अब हार हो चुकी है।
timeline-became = { $what }: { $from } से { $to } हुआ।
timeline-other = { $what }: { $to }।

### A withdrawal of an order: on the order's page, and on a page of its own

decide-declared = { $email } ने { $date } को घोषित की
decide-no-proof = बिना प्रमाण
decide-lines = { $n } आइटम
decide-no-line = कोई आइटम नहीं
decide-decided = { $date } को निर्णय हुआ
decide-waits = कार्रवाई ज़रूरी:
decide-judged = निर्णय अपने आप होता है, अगली बार { $date } को
decide-objected = ऑर्डर के पते के धारक ने { $date } को कहा कि यह उनकी नहीं है।
decide-accept = स्वीकार करें …
decide-accept-text = घोषित आइटम की जो भी राशि बची है, वह ख़रीदार को लौटती है और उन तक पहुँच समाप्त होती है। ख़रीदार को ईमेल मिलता है।
decide-reason-optional = कारण, जो ख़रीदार को दिखता है; ख़ाली छोड़ सकते हैं
decide-accept-submit = बची हुई पूरी राशि लौटाएँ और पहुँच समाप्त करें
decide-part = एक हिस्सा लौटाएँ …
decide-part-text = शुरू हो चुकी सेवा के लिए: यह राशि ख़रीदार को लौटती है, और घोषित आइटम तक पहुँच समाप्त होती है। ख़रीदार को ईमेल मिलता है।
decide-part-submit = यह राशि लौटाएँ और पहुँच समाप्त करें
decide-refuse = अस्वीकार करें …
decide-refuse-text = कुछ नहीं लौटाया जाता, और पहुँच बनी रहती है। ख़रीदार को आपके कारण के साथ ईमेल मिलता है, और वे उन आइटम की वापसी फिर से घोषित कर सकते हैं।
decide-refuse-submit = वापसी अस्वीकार करें
decide-close = बंद करें …
decide-close-text = कोई ईमेल नहीं जाता: घोषणा करने वाला कोई अजनबी हो सकता है। अगर आपको वह ऑर्डर मिल गया है जिसकी बात है, तो पहले वहाँ रिफ़ंड करें।
decide-close-submit = वापसी बंद करें

## The page of its own

withdrawal-title = { $name } की वापसी
withdrawal-heading = वापसी
withdrawal-declared-what = क्या घोषित किया गया
withdrawal-order-named = ऑर्डर, जैसा बताया गया
withdrawal-name = नाम
withdrawal-declared = घोषणा की तारीख़
withdrawal-decision = निर्णय

### Before a refund

refund-title = रिफ़ंड करें?
refund-heading = क्या इस ऑर्डर का रिफ़ंड करना है?
refund-order = { $email } का ऑर्डर, { $total }, जिसमें से { $refunded } पहले लौटाए जा चुके हैं।
refund-amount = { $provider } के ज़रिए ख़रीदार को { $amount } लौटते हैं।
refund-all = { $total } में से जो भी बचा है, वह { $provider } के ज़रिए ख़रीदार को लौटता है।
refund-lines = निशान लगे आइटम की बची हुई पूरी राशि, { $amount }, { $provider } के ज़रिए ख़रीदार को लौटती है।
refund-lines-with-tax = निशान लगे आइटम की बची हुई पूरी राशि, { $amount }, और उसके ऊपर लिया गया कर, अगर लिया गया हो, { $provider } के ज़रिए ख़रीदार को लौटते हैं।
refund-access-stays = सारी पहुँच बनी रहती है।
refund-access-ends = भुगतान प्रदाता के स्वीकार करते ही { $item } तक पहुँच समाप्त होती है, बशर्ते शिक्षार्थी ने प्रमाणपत्र न पाया हो।
refund-own = आपका संगठन राशि अपने बैंक से भेजता है, फिर यहाँ बताता है कि वह पहुँच गई है।
refund-access-ends-now = { $item } तक पहुँच तुरंत समाप्त होती है, जब तक प्रमाणपत्र पहले ही न मिल चुका हो।
refund-mail = { $email } को रिफ़ंड के बारे में ईमेल मिलता है।
refund-no-mail = ख़रीदार को यहाँ से कोई ईमेल नहीं मिलता, क्योंकि ऑर्डर किसी और दुकान ने बेचा था।
refund-mail-with-credit-note = { $email } को रिफ़ंड के बारे में क्रेडिट नोट के साथ ईमेल मिलता है।
refund-needs-amount = सद्भावना के लिए राशि ज़रूरी है। वापस जाएँ और राशि लिखें।
refund-reason = कारण, जो ख़रीदार को भी दिखता है
refund-despite-dispute = रिफ़ंड करें, भले ही बैंक में विवाद खुला है और वह ख़रीदार को यही राशि लौटा सकता है
refund-taken = विवादों में { $lost } चले गए हैं: यह राशि लौटाई नहीं जा सकती।
refund-back = वापस जाएँ, रिफ़ंड न करें
refund-submit-all = बची हुई पूरी राशि लौटाएँ और पहुँच समाप्त करें
refund-submit = { $amount } लौटाएँ और पहुँच समाप्त करें
refund-submit-keep = { $amount } लौटाएँ

### A correction of the buyer on an invoice

invoice-title = इनवॉइस सुधारें
invoice-buyer = इनवॉइस पर ख़रीदार
invoice-asked = सहायता टीम ने { $date } को यह ख़रीदार माँगा। इसके साथ कर ख़रीदार को लौटता है।
invoice-happens = एक क्रेडिट नोट इनवॉइस को वापस लेता है, और नया इनवॉइस इस ख़रीदार के नाम होता है।
invoice-mail = { $email } को नया इनवॉइस ईमेल से मिलता है।
invoice-tax = अगर यह यूरोपीय संघ के दूसरे सदस्य देश की कंपनी है और VIES उसकी VAT संख्या की पुष्टि करता है, तो कर लौटाया जाता है।
invoice-tax-asked = अगर यह यूरोपीय संघ के दूसरे सदस्य देश की कंपनी है और VIES उसकी VAT संख्या की पुष्टि करता है, तो कर लौटाना होता है: तब वित्त से पूछा जाता है, और वही इनवॉइस सुधारता है।
invoice-back = वापस, कुछ न सुधारें
invoice-submit = इनवॉइस सुधारें और भेजें
invoice-refuse = सहायता टीम के अनुरोध से मना करें
buyer-company = कंपनी
buyer-tax-id = कर पहचान संख्या
buyer-name = नाम
buyer-line1 = सड़क
buyer-line2 = पते का शेष भाग
buyer-postal-code = पिन कोड
buyer-city = शहर
buyer-state = राज्य
buyer-country = देश, दो अक्षर

### Before a move

move-title = स्थानांतरित करें?
move-heading = क्या इस आइटम को स्थानांतरित करना है?
move-line-number = आइटम { $position }
runs-heading = { $name } कहाँ जाए?
runs-line = { $name }, { $mode }, { $price } में ख़रीदा गया।
runs-choose = { $name } में ले जाएँ …
runs-same-course = दूसरा सत्र
runs-none = इस तरीके में कोई दूसरा पाठ्यक्रम बिक्री पर नहीं है, या ख़रीदार के पास वह पहले से है।
runs-person = या किसी दूसरे व्यक्ति को
move-is-moving = { $course } में इसका स्थानांतरण जारी है।
move-is-moving-to-person = { $course } में, दूसरे व्यक्ति को, इसका स्थानांतरण जारी है।
move-was-moved = यह { $course } में स्थानांतरित हुआ।
move-was-moved-to-person = यह { $course } में, दूसरे व्यक्ति को, स्थानांतरित हुआ।
move-access-now = इस ऑर्डर से अभी किसके पास पहुँच है:
move-to-course = इसके बजाय यह आइटम { $course } तक पहुँच देता है।
move-other-price = इसकी क़ीमत { $price } है, और आइटम की { $paid }: नीचे टिक करें कि कुछ लिया या लौटाया नहीं जाता।
move-to-person = यह आइटम अपनी पहुँच { $email } को देता है; अगर इस पते का खाता नहीं है, तो उसे पंजीकरण का आमंत्रण मिलता है।
move-old-access = पाठ्यक्रम प्लेटफ़ॉर्म के नई पहुँच की पुष्टि करने तक मौजूदा पहुँच बनी रहती है, फिर समाप्त होती है। अगर प्लेटफ़ॉर्म मना करे, तो वह बनी रहती है, और “कार्रवाई ज़रूरी” सूची में यह अस्वीकृति दिखती है।
move-earlier = इस आइटम का कोई पिछला स्थानांतरण, जिससे प्लेटफ़ॉर्म ने मना किया हो या जिसके पते का पंजीकरण न हुआ हो, वापस ले लिया जाता है।
move-money = कोई लेन-देन नहीं होता। इनवॉइस वैसा ही रहता है; बाद में इस आइटम का रिफ़ंड होने पर नई पहुँच समाप्त होती है।
move-certificate = जिस व्यक्ति के पास अभी पहुँच है, अगर उसने प्रमाणपत्र पा लिया है, तो कुछ नहीं होता।
move-mail = स्थानांतरण पूरा होते ही { $email } को ईमेल मिलता है।
move-reason = कारण, रिकॉर्ड के लिए
move-waive = क़ीमत अलग हो तो भी स्थानांतरित करें; न कुछ लिया जाएगा, न लौटाया जाएगा
move-back = वापस जाएँ, स्थानांतरित न करें
move-submit = { $name } को { $to } पर स्थानांतरित करें

### A person: an address with its orders, courses and seats

person-download = { $organisation } के पास इस व्यक्ति का जो डेटा है, उसे डाउनलोड करें
person-download-help = JSON में, अपना डेटा माँगने वाले व्यक्ति के लिए।
person-no-orders = { $organisation } में इस पते से कोई ऑर्डर नहीं है। हो सकता है कि व्यक्ति ने दूसरे पते से ख़रीदा हो: इनवॉइस पर लिखा नाम खोजें।
person-no-courses = इस पते के लिए { $organisation } का कोई पाठ्यक्रम नहीं खोला गया।
person-seats = सीटें, जो यह पता सँभालता है या जो इसके पास हैं
person-seats-taken = { $seats } में से { $used } भरी
person-seats-bought = { $date } को ख़रीदी गईं

### Payouts

payouts-title = बैंक में भुगतान
payouts-text = भुगतान प्रदाता ने आपके बैंक में क्या भेजा, और हर राशि में क्या शामिल है। यह हर घंटे पढ़ा जाता है।
payouts-refused = { $gateway } आपके खाते की कुंजी को ये भुगतान नहीं दिखाता। इस सेवा के संचालक से पूछें।
payouts-unread = { $gateway } के भुगतान अभी नहीं पढ़े गए हैं।
payouts-made = तारीख़
payouts-bank = बैंक में
payouts-payments = भुगतान
payouts-refunds = रिफ़ंड
payouts-disputes = विवाद
payouts-fees = शुल्क
payouts-rest = अन्य
payouts-difference = अंतर
payouts-not-read = इसमें क्या है, यह अभी नहीं पढ़ा गया।
payouts-not-itemised = प्रदाता नहीं बताता कि इसमें क्या है।
payouts-none = इस अवधि में बैंक में कुछ नहीं भेजा गया। दूसरी अवधि चुनें।
payouts-csv = बैंक भुगतान CSV में डाउनलोड करें
payouts-xlsx = बैंक भुगतान XLSX में
payouts-movements = बैंक भुगतानों के लेन-देन
payouts-movements-csv = लेन-देन CSV में
payouts-movements-xlsx = लेन-देन XLSX में
payout-status-pending = लंबित
payout-status-paid = भेजा गया
payout-status-failed = विफल

### The month that finance closes

# A link at the top of each page, and the page on which finance closes a month
month-title = महीना बंद करें
month-month = महीना
month-text = धन उस दिन गिना जाता है जो बैंक या प्रदाता बताता है।
month-closed = बंद
month-closed-by = { $date } को { $name } ने बंद किया।
month-closed-with = यह { $month } के साथ बंद हुआ।
month-open = महीना पूरा हो चुका है और अभी बंद नहीं है।
month-not-over = महीना { $day } के बाद बंद किया जा सकता है।
month-provider = प्रदाता
# In place of a provider: transfers that you take yourself
month-own-account = आपका अपना खाता
# Headings: money that is with the provider before and after the month
month-opening = पहले प्रदाता के पास
month-paid-out = बैंक में भेजा गया
month-closing = अब भी प्रदाता के पास
month-no-opening = प्रदाता के पास पहले क्या था, यह ज्ञात नहीं है, क्योंकि पिछले एक वर्ष का कोई महीना बंद नहीं है।
month-adds-up = हिसाब मिलता है: जो पहले था और जो भी लेन-देन हुआ, वह अब बचे धन के बराबर है, और बैंक भुगतान इससे मेल खाते हैं।
month-gaps = यह नहीं मिलता:
# Behind an amount: why it does not add up
month-gap-other = बैंक भुगतान के लेन-देन जो बही में नहीं हैं
month-gap-unknown-payment = बैंक भुगतान के ऐसे भुगतान जो यहाँ के ऑर्डर नहीं हैं
month-gap-other-currency = एक मुद्रा में चुकाया गया और दूसरी में बैंक भेजा गया
month-gap-difference = बैंक भुगतान और उसके लेन-देन में अंतर
month-gap-unread = ऐसा बैंक भुगतान जिसके लेन-देन इस महीने नहीं पढ़े गए, इसलिए उसका शुल्क शामिल नहीं है
month-gap-closed = उस शेष से अंतर जिसके साथ महीना बंद हुआ
# Above amounts
month-unpaid = अभी बकाया
month-pending = अभी प्रक्रिया में
month-documents = अनुपस्थित दस्तावेज़
month-documents-text = बिना इनवॉइस के चुकाए गए ऑर्डर, और बिना क्रेडिट नोट के रिफ़ंड। अधिकतर कुछ मिनटों में जारी होते हैं; जो यहाँ बना रहे, उसके बारे में संचालक से पूछें।
month-no-documents = कोई दस्तावेज़ अनुपस्थित नहीं है।
month-late = देर से आया धन
month-late-text = धन जो इस महीने में गिना जाता है, क्योंकि प्रविष्टि के समय उसका अपना महीना बंद था।
month-no-late = कुछ देर से नहीं आया।
# Below an amount: of how many it is the sum
month-number = संख्या: { $n }
month-close-text = बंद होने पर महीना, पहले के सभी महीनों सहित, वैसा ही रहता है: बाद की प्रविष्टियाँ खुले महीने में गिनी जाती हैं। इसे पलटा नहीं जा सकता।
# A button
month-close = { $month } बंद करें

### Reports

reports-title = रिपोर्ट
reports-from = इस दिन से
reports-to = इस दिन तक (शामिल)
reports-by = गिना जाने वाला दिन
reports-by-booked = प्रविष्टि का दिन
reports-by-received = बैंक या प्रदाता का दिन
reports-show = दिखाएँ
reports-zone = दिन समय क्षेत्र { $zone } के अनुसार हैं।
# Before tags with what the page shows
reports-only = केवल:
reports-all = सभी लेन-देन दिखाएँ
reports-totals = लेन-देन और कर
reports-movement = लेन-देन
reports-taxed-in = कर का देश
reports-rate = दर
reports-number = संख्या
reports-net = कर-पूर्व
reports-none = इस अवधि में कोई लेन-देन नहीं हुआ। दूसरी अवधि चुनें: भुगतान उस दिन गिने जाते हैं जिस दिन प्रदाता ने उनकी सूचना दी।
reports-ledger = बहीखाता
reports-ledger-first = बहीखाता: पहले { $n } लेन-देन
reports-booked = प्रविष्टि की तारीख़
reports-received = धन-अंतरण की तारीख़
reports-document = दस्तावेज़
reports-download-csv = बहीखाता CSV में डाउनलोड करें
reports-download-json = JSON में
reports-download-xlsx = बहीखाता XLSX में
reports-taxes = कर
reports-taxes-text = इनवॉइस में से क्रेडिट नोट घटाकर, उनमें लिखे दिन के अनुसार।
reports-taxes-chargeback = चार्जबैक राशि वापस ले लेता है और उसके बाद कोई क्रेडिट नोट नहीं बनता: यहाँ के कर ऊपर की गतिविधियों के करों से चार्जबैक के कर जितने अधिक हैं।
reports-country = देश
reports-state = राज्य
reports-category = श्रेणी
reports-documents = दस्तावेज़
reports-taxes-csv = कर CSV में डाउनलोड करें
reports-taxes-json = कर JSON में
reports-taxes-days = दिन के अनुसार कर
reports-taxes-days-xlsx = दिन के अनुसार कर XLSX में
reports-taxes-payments-xlsx = भुगतान के दिन के अनुसार कर XLSX में
reports-taxes-oss = वन-स्टॉप-शॉप (OSS)
reports-taxes-oss-xlsx = वन-स्टॉप-शॉप (OSS) XLSX में
reports-taxes-xlsx = कर XLSX में
reports-taxes-none = इस अवधि में कोई इनवॉइस या क्रेडिट नोट जारी नहीं हुआ। जिस संगठन के रिकॉर्ड में विक्रेता नहीं है, वह कोई जारी नहीं करता।

reports-sum = योग
column-seq = क्रमांक
column-at = समय
column-day = प्रविष्टि की तारीख़
column-kind = लेन-देन
column-cart_id = ऑर्डर
column-transaction_id = भुगतान
column-refund_id = रिफ़ंड
column-amount = राशि
column-tax = कर
column-currency = मुद्रा
column-gateway = भुगतान प्रदाता
column-provider_reference = भुगतान प्रदाता का संदर्भ
column-region = ख़रीदार का देश
column-list_price = सूची मूल्य
column-discounts = छूट
column-voucher_discount = वाउचर की छूट
column-voucher = वाउचर
column-campaign = अभियान
column-document_number = दस्तावेज़
column-tax_country = कर का देश
column-tax_state = कर का राज्य
column-tax_rate = कर की दर (%)
column-language = भाषा
column-reference = ख़रीदार का संदर्भ
column-metadata = मेटाडेटा
column-bank_day = बैंक का दिन
column-bank_reference = बैंक का संदर्भ
column-tax_id = कर पहचान संख्या
column-reverse_charge = रिवर्स चार्ज
column-country = देश
column-state = राज्य
column-rate = दर (%)
column-category = श्रेणी
column-net = कर-पूर्व
column-count = दस्तावेज़
column-payout = बैंक भुगतान
column-status = स्थिति
column-made_on = तारीख़
column-payments = भुगतान
column-refunds = रिफ़ंड
column-disputes = विवाद
column-fees = शुल्क
column-returned = वापस आए बैंक भुगतान
column-other = अन्य
column-rounding = पूर्णांकन
column-difference = अंतर
column-fee_tax = शुल्क में कर
column-movements = लेन-देन की संख्या
column-itemised = ब्योरा सहित
column-movement = प्रदाता का लेन-देन
column-provider_kind = प्रदाता का शब्द
column-gross = शुल्क से पहले
column-fee = शुल्क राशि
column-balance = दूसरा शेष
column-date = दिन
column-buyer = ख़रीदार
column-quarter = तिमाही
column-number = संख्या
tax-category-s = मानक
tax-category-z = शून्य दर
tax-category-e = छूट प्राप्त
tax-category-ae = रिवर्स चार्ज
tax-category-o = कर-मुक्त दायरा

### Vouchers

vouchers-title = वाउचर
vouchers-whole-seat = पूरी सीट
vouchers-none-found = इस कोड और अभियान का कोई वाउचर नहीं है। और देखने के लिए कोई फ़ील्ड ख़ाली छोड़ें।
vouchers-none = { $organisation } के पास अभी कोई वाउचर नहीं है। पहला वाउचर नीचे बनाएँ।
vouchers-new = वाउचर बनाएँ
vouchers-code-help = 3 से 40 रोमन अक्षर, अंक, - और _। ख़ाली छोड़ने पर कोड अपने आप बनते हैं।
vouchers-count = कोड की संख्या
vouchers-count-help = एक से ज़्यादा तभी, जब आपने अपना कोड न दिया हो।
vouchers-percentage = प्रतिशत
vouchers-amount = राशि
vouchers-how-much = कितनी
vouchers-courses-help = हर पंक्ति में एक पाठ्यक्रम आईडी, जैसे course-v1:Northwind+ENG101+2026। ख़ाली छोड़ने पर: { $organisation } जो कुछ बेचता है, वह सब।
vouchers-new-submit = वाउचर बनाएँ

## One voucher

voucher-used = उपयोग की तारीख़
voucher-not-used = अभी तक उपयोग नहीं हुआ।
voucher-terms = शर्तें
voucher-for = किस पर लागू
voucher-courses = { $n } पाठ्यक्रम
voucher-programs = { $n } कार्यक्रम
voucher-everything = सब कुछ
voucher-change-text = छूट कितनी है और किस पर है, यह वैसा ही रहता है जैसा वादा किया गया था।
voucher-budget-in = बजट, { $currency } में
voucher-until-help = ख़ाली छोड़ने पर: कोई अंतिम तारीख़ नहीं।
voucher-end-text = समाप्त करने पर यह नए ऑर्डर पर कोई छूट नहीं देता। इससे जो ख़रीदा गया, वह वैसा ही रहता है।
voucher-end = { $code } को अभी समाप्त करें

## Its chart by day

voucher-chart = पिछले 30 दिनों में { $up } उपयोग हुए और { $down } लौटाए गए; एक दिन में ज़्यादा से ज़्यादा { $most }
voucher-chart-day = { $day }: { $up } उपयोग हुए, { $down } लौटाए गए
voucher-chart-up = { PLURAL($n) ->
    [one] { $n } उपयोग हुआ
   *[other] { $n } उपयोग हुए
}
voucher-chart-down = { PLURAL($n) ->
    [one] { $n } लौटाया गया
   *[other] { $n } लौटाए गए
}

## The codes of vouchers, to be taken along

codes-title = कोड
codes-heading = { $n } कोड
codes-of-campaign = { $campaign } के { $n } कोड
codes-csv = CSV के रूप में डाउनलोड करें
codes-copy = कॉपी करने के लिए
codes-back = वाउचर पर वापस
codes-take = इस अभियान के कोड साथ ले जाएँ

### Seats: places in a course that somebody has bought for others

seats-title = सीटें
seats-pools = सीटों के समूह
seats-item = पाठ्यक्रम या कार्यक्रम
seats-bought = ख़रीद की तारीख़
seats-taken = भरी सीटें
seats-none = { $organisation } ने अभी कोई सीट नहीं बेची है। किसी पाठ्यक्रम में कई स्थान ख़रीदने वाले को सीटों का समूह मिलता है, जिसकी सीटें वह दूसरों को देता है।

## One pool of seats

pool-taken = { PLURAL($used) ->
    [one] { $seats } में से { $used } सीट भरी है
   *[other] { $seats } में से { $used } सीटें भरी हैं
}
pool-left = { $n } शेष
pool-code = कोड
pool-order = इनके भुगतान का ऑर्डर
pool-batch = आपके भेजे हुए पते
pool-holders = सीट किसके पास है
pool-no-holders = अभी किसी पते के पास सीट नहीं है। पते लिखें, या कोड दूसरों को दें।
pool-mail-failed = ईमेल नहीं पहुँचा:
pool-take-back = सीट वापस लें …
pool-take-back-pending = सीट फिर से ख़ाली हो जाती है, और आमंत्रण समाप्त होता है।
pool-take-back-enrolled = { $email } के पास { $item } तक पहुँच नहीं रहती। सीट उपयोग की हुई ही मानी जाती है।
pool-take-back-submit = { $email } की सीट वापस लें
pool-give = पतों को सीटें दें
pool-give-help = हर पंक्ति में एक पता, ज़्यादा से ज़्यादा 500। जिसका खाता है, उसका नामांकन होता है और उसे ईमेल से बताया जाता है; बाक़ी हर पते को आमंत्रण मिलता है।
pool-give-submit = सीटें दें
pool-remind = याद दिलाएँ
pool-remind-text = उन 100 पतों को ईमेल भेजता है जिनके पंजीकरण की सबसे लंबे समय से प्रतीक्षा है; हर पते को दिन में ज़्यादा से ज़्यादा एक बार।
pool-remind-submit = जिन्होंने पंजीकरण नहीं किया उन्हें याद दिलाएँ

### Batches of enrollments

batches-title = बैच
batches-heading = नामांकन के बैच
batches-submitted = जमा करने की तारीख़
batches-failed = विफल
batches-none = { $organisation } के स्टाफ़ ने पिछले 90 दिनों में कोई बैच जमा नहीं किया।
batches-new = कई पतों का नामांकन करें या हटाएँ
batches-file = CSV फ़ाइल
batches-file-help = email कॉलम, और जहाँ पंक्तियाँ अलग हों वहाँ course_id, mode, action और language। ज़्यादा से ज़्यादा 5,000 पंक्तियाँ।
batches-paste = या पंक्तियाँ पेस्ट करें
batches-course = जिन पंक्तियों में पाठ्यक्रम नहीं है, उनका पाठ्यक्रम
batches-mode = जिन पंक्तियों में मोड नहीं है, उनका मोड
batches-show = पंक्तियाँ दिखाएँ
batches-nothing-yet = अभी कुछ नहीं होता।

## Before a batch is submitted

rows-title = जमा करें?
rows-heading = { PLURAL($n) ->
    [one] क्या { $n } पंक्ति जमा करनी है?
   *[other] क्या { $n } पंक्तियाँ जमा करनी हैं?
}
rows-good = { PLURAL($n) ->
    [one] { $n } पंक्ति संसाधित होगी। जिस पते का नामांकन हो और खाता न हो, उसे आमंत्रण मिलता है।
   *[other] { $n } पंक्तियाँ एक के बाद एक संसाधित होंगी। जिस पते का नामांकन हो और खाता न हो, उसे आमंत्रण मिलता है।
}
rows-faulty = { PLURAL($n) ->
    [one] { $n } पंक्ति नीचे दिए कारण से नहीं हो सकती। केवल वही विफल होती है; उसे फ़ाइल में ठीक करें, या रहने दें।
   *[other] { $n } पंक्तियाँ नीचे दिए कारणों से नहीं हो सकतीं। केवल वही विफल होती हैं; उन्हें फ़ाइल में ठीक करें, या रहने दें।
}
rows-back = वापस जाएँ, जमा न करें
rows-submit = { PLURAL($n) ->
    [one] { $n } पंक्ति जमा करें
   *[other] { $n } पंक्तियाँ जमा करें
}
rows-some = पंक्तियाँ: { $total } में से { $shown }, ग़लतियाँ पहले
rows-fault = ग़लती

## One batch

batch-title = बैच
batch-all-rows = सभी पंक्तियाँ
batch-failed-rows = विफल पंक्तियाँ
batch-download-failed = विफल पंक्तियाँ डाउनलोड करें
batch-download-all = सभी पंक्तियाँ डाउनलोड करें
batch-result = परिणाम
batch-none-failed = कोई पंक्ति विफल नहीं हुई।
batch-no-rows = इस पेज पर कोई पंक्ति नहीं है।

### The catalog: what the shop sells

catalog-title = कैटलॉग
catalog-filter = नाम या पाठ्यक्रम आईडी
catalog-intro = बदलाव कुछ सेकंड में दुकान में दिखते हैं। किए जा चुके ऑर्डर की क़ीमत वही रहती है। पाठ्यक्रम प्लेटफ़ॉर्म से सिंक होने पर यहाँ की सेटिंग बनी रहती है; आयात उसे बदल सकता है।
catalog-not-published = प्रकाशित नहीं
catalog-in-no-list = किसी सूची में नहीं
catalog-on-sale = बिक्री में
catalog-no-mode-on-sale = कोई मोड बिक्री में नहीं
catalog-starts = { $date } को शुरू
catalog-publish = प्रकाशित: दुकान इसे दिखाती और बेचती है
catalog-hide = किसी सूची में नहीं: केवल लिंक वाले लोगों को मिलता है
catalog-sell = बिक्री में
catalog-save = सहेजें कि दुकान क्या दिखाए
catalog-until = { $date } तक
catalog-from = { $date } से
catalog-price = क़ीमत, { $currency } में
catalog-save-mode = { $mode } सहेजें
catalog-dated = समय-सीमित क़ीमतें
catalog-dated-text = लागू क़ीमतों में सबसे कम क़ीमत ली जाती है। क़ीमत या प्रतिशत में से एक दीजिए। ख़ाली समय का मतलब है: कोई सीमा नहीं।
catalog-dated-name = नाम, जैसे अर्ली बर्ड
catalog-dated-percent = या छूट प्रतिशत में
catalog-dated-add = समय-सीमित क़ीमत जोड़ें
catalog-waiting-list = प्रतीक्षा सूची
catalog-waiting = प्रतीक्षा में: { $waiting }। जगह की पेशकश: { $offered }। खरीदे गए: { $bought }। समाप्त या अस्वीकृत: { $lapsed }।
catalog-first-email = ईमेल पता जिसकी बारी अगली हो
catalog-first = सबसे आगे रखें
catalog-dated-remove = { $name } हटाएँ
catalog-no-mode = पाठ्यक्रम का कोई मोड नहीं है, इसलिए इसका कुछ भी नहीं बिकता। मोड पाठ्यक्रम प्लेटफ़ॉर्म या आयात से आते हैं।
catalog-none-found = { $organisation } के किसी पाठ्यक्रम के नाम या आईडी में यह नहीं है।
catalog-none = { $organisation } के पास अभी कोई पाठ्यक्रम नहीं है। पाठ्यक्रम प्लेटफ़ॉर्म से आते हैं, या ऐसे आयात से जिसे ऑपरेटर सेट करता है।

### Events, and the endpoints that receive them

events-title = इवेंट
events-disabled = बंद
events-failing = विफल हो रहा है
events-enabled = चालू
events-gets = इसे मिलते हैं: { $types }।
events-waiting = { PLURAL($n) ->
    [one] { $n } इवेंट प्रतीक्षा में है।
   *[other] { $n } इवेंट प्रतीक्षा में हैं।
}
events-failing-since = { $date } से कोई डिलीवरी सफल नहीं हुई।
events-disabled-on = { $date } को बंद हुआ:
events-enable-text = पहले प्राप्तकर्ता को ठीक करें। चालू होने पर इसे वे सभी इवेंट मिलते हैं जो छूट गए थे।
events-enable = चालू करें
events-change = इसके प्रकार या सीक्रेट बदलें, या इसे हटाएँ
events-types = इसे मिलने वाले इवेंट
events-save-types = प्रकार सहेजें
events-secret-text = नया सीक्रेट अगले पेज पर एक बार दिखता है। एक दिन तक मौजूदा सीक्रेट भी उसके साथ हस्ताक्षर करता है।
events-secret = नया सीक्रेट बनाएँ
events-remove-text = { PLURAL($n) ->
    [one] हटाने पर इसे कोई इवेंट नहीं मिलता, और प्रतीक्षा में पड़ा { $n } इवेंट नहीं पहुँचाया जाता। फ़ीड में सभी इवेंट बने रहते हैं।
   *[other] हटाने पर इसे कोई इवेंट नहीं मिलता, और प्रतीक्षा में पड़े { $n } इवेंट नहीं पहुँचाए जाते। फ़ीड में सभी इवेंट बने रहते हैं।
}
events-remove = { $url } हटाएँ
events-deliveries = { $url } पर डिलीवरी
events-event = इवेंट
events-happened = कब हुआ
events-attempts = प्रयास
events-last-answer = पिछला उत्तर
events-next = अगला प्रयास { $date } को
events-failed = { $n } घटनाओं का पिछला प्रयास विफल रहा।
events-send-failed = सभी फिर से भेजें
events-send-again = फिर से भेजें
events-send-this-again = { $date } का { $type } फिर से भेजें
events-none-yet = इस एंडपॉइंट के लिए अभी कोई इवेंट नहीं हुआ।
events-none = { $organisation } का इवेंट के लिए कोई एंडपॉइंट नहीं है। आपकी तकनीकी टीम पता बताएगी; इवेंट फ़ीड से भी पढ़े जा सकते हैं।
events-new = किसी पते पर इवेंट भेजें
events-new-text = अगला पेज इवेंट पर हस्ताक्षर करने वाला सीक्रेट एक बार दिखाता है।
events-new-submit = इस पर इवेंट भेजें

## The page that shows a secret once

secret-title = सीक्रेट
secret-heading = इवेंट पर हस्ताक्षर करने वाला सीक्रेट
secret-text = इसे अभी किसी सुरक्षित माध्यम से प्राप्तकर्ता की तकनीकी टीम को दें: यह दोबारा नहीं दिखाया जा सकता। अगर यह खो जाए, तो नया बनाएँ। प्राप्तकर्ता के पास अभी जो सीक्रेट है, वह एक दिन तक इसके साथ हस्ताक्षर करता है।
secret-back = इवेंट पर लौटें

### The staff

staff-title = स्टाफ़
staff-heading = { $organisation } का स्टाफ़
staff-person = व्यक्ति
staff-roles = भूमिकाएँ
staff-since = कब से
staff-remove = हटाएँ
staff-remove-person = { $email } को स्टाफ़ से हटाएँ
staff-add = व्यक्ति जोड़ें, या उसकी भूमिकाएँ बदलें
staff-email = व्यक्ति के खाते का ईमेल पता
staff-support = सहायता: ईमेल, पते, नामांकन, अलर्ट
staff-finance = वित्त: रिफ़ंड, वापसियाँ, रिपोर्ट
staff-manager = प्रबंधक: वाउचर, सीटें, बैच, स्टाफ़
staff-only-managers = यह सूची आपके संस्थान का कोई प्रबंधक बदलता है।

### What the last form did: one line at the top of the next page

done-receipt = संदेश भेजा जा रहा है।
done-address = पता ठीक किया गया, और जो प्रतीक्षा में था वह नए पते पर चला गया है। नए पते को ईमेल अपने आप मिलते हैं: रसीद, और खाता न हो तो आमंत्रण।
done-alert = अलर्ट बंद हो गया है।
done-invoice = इनवॉइस सुधारा गया। नया इनवॉइस ख़रीदार को भेजा जा रहा है।
done-invoice-asked = वित्त से पूछा गया है। तब तक इनवॉइस वैसा ही रहता है।
done-invoice-refused = अनुरोध अस्वीकार किया गया। इनवॉइस वैसा ही रहता है।
done-invitation = आमंत्रण भेजा जा रहा है।
done-refund = रिफ़ंड जारी है। उसकी स्थिति नीचे है।
done-payment = भुगतान दर्ज हो गया है।
done-refund-arrived = रिफ़ंड पहुँच गया है।
done-refund-back = रिफ़ंड वापस आ गया। राशि फिर से आपकी मानी जाती है।
done-payment-returned = यह भुगतान अब नहीं गिना जाता।
done-payment-cancelled = ऑर्डर समाप्त हो गया है।
done-document = सूचना दर्ज हो गई।
done-move = स्थानांतरण जारी है। पाठ्यक्रम प्लेटफ़ॉर्म के नई पहुँच की पुष्टि करते ही पुरानी पहुँच समाप्त होती है।
done-mails = ईमेल भेजा जा रहा है।
done-enrollments = पाठ्यक्रम प्लेटफ़ॉर्म से फिर पूछा जा रहा है।
done-withdrawal = वापसी पर निर्णय हो गया है।
done-dead-letters = संदेश निपटा दिया गया है। अगर वह फिर विफल हुआ, तो इसी सूची में लौटेगा।
done-staff = स्टाफ़ में बदलाव हो गया है।
done-vouchers = { $n } वाउचर तैयार हैं।
done-voucher = वाउचर बदल दिया गया है।
done-assigned = पते सहेज लिए गए हैं, और उन्हें एक-एक करके सीटें मिलती हैं।
done-freed = सीट फिर से ख़ाली है।
done-revoked = पहुँच समाप्त हो गई है। सीट उपयोग की हुई ही मानी जाती है।
done-no-seat = इस पते के पास अब कोई सीट नहीं थी। कुछ नहीं किया गया।
done-reminded = जिन्होंने पंजीकरण नहीं किया और जिन्हें एक दिन के भीतर ईमेल नहीं मिला, उन्हें याद दिलाया जा रहा है।
done-none-reminded = किसी पते को याद नहीं दिलाया गया: हर पते का पंजीकरण हो चुका है, या उसे एक दिन के भीतर ईमेल मिला है।
done-batch = पंक्तियाँ सहेज ली गई हैं, और एक-एक करके पूरी हो रही हैं।
done-catalog = पाठ्यक्रम बदल दिया गया है। दुकान इसे कुछ सेकंड में दिखाएगी।
done-endpoints = एंडपॉइंट चालू हो गया है। छूटे हुए इवेंट इसे मिल जाएँगे।
done-endpoint-changed = एंडपॉइंट बदल दिया गया है। अगर आपने इसका सीक्रेट नहीं देखा, तो नया बनाएँ।
done-deliveries = इवेंट फिर से भेजा जा रहा है।
done-deliveries-failed = जो घटनाएँ विफल रही थीं वे सब फिर से भेजी जा रही हैं।
done-month = महीना बंद है।

### What went wrong: a title, and the next step

problem-signed-out = आप साइन इन नहीं हैं
problem-signed-out-text = इस ब्राउज़र के दूसरे टैब में साइन इन करें, फिर यहाँ लौटें। अभी तक कुछ नहीं किया गया।
problem-sign-in = साइन इन करें
problem-not-allowed = आपको इसकी अनुमति नहीं है
problem-not-allowed-text = अपने संस्थान के किसी प्रबंधक से भूमिका माँगें, या वापस जाएँ।
problem-not-found = नहीं मिला
problem-not-found-text = लिंक जाँच लें, या फिर से खोजें।
problem-file = यह नहीं हो सका
problem-file-text = कुछ नहीं किया गया। वापस जाएँ और छोटी फ़ाइल CSV में भेजें।
problem-sent-before = यह फ़ॉर्म पहले भेजा जा चुका है
problem-sent-before-text = तब इसमें दूसरी जानकारी भरी थी। पहले देखें कि उससे क्या हुआ; यहाँ से फ़ॉर्म फिर भेजने पर यह नए सिरे से होता है।
problem-invalid = यह नहीं हो सका
problem-invalid-text = नीचे बताई गई बातें ठीक करके फिर से भेजें, या वापस जाएँ।
problem-running = यह कार्रवाई पहले से जारी है
problem-running-text = थोड़ी देर रुकें, और कुछ भी दोहराने से पहले फिर से देखें।
problem-contradiction = यह दर्ज जानकारी के विपरीत है
problem-contradiction-text = कुछ नहीं बदला गया। इसे दूसरे सिस्टम की जानकारी से मिलाएँ।
problem-no-answer = अभी कोई उत्तर नहीं
problem-no-answer-text = यह अब भी हो सकता है। फिर से देखें; यह फ़ॉर्म दोबारा भेजने से कुछ भी दो बार नहीं होता।
problem-too-many = बहुत ज़्यादा अनुरोध
problem-too-many-text = थोड़ी देर रुकें, फिर दोबारा भेजें।
problem-unavailable = यह अभी नहीं हो सकता
problem-unavailable-text = कुछ नहीं किया गया। थोड़ी देर में फिर से कोशिश करें; यह फ़ॉर्म दोबारा भेजने से कुछ भी दो बार नहीं होता।
problem-send-again = यह फ़ॉर्म फिर से भेजें
problem-start = होम पेज पर जाएँ
problem-email = ईमेल पता

## Faults of a form: what is wrong with a field, in English

problem-fault = { $field }: { $fault }
fault-order = ऑर्डर
fault-address = पता
fault-reason = कारण
fault-amount = राशि
fault-reference = संदर्भ
fault-day = दिन
fault-enrollment = नामांकन
fault-mail = ईमेल
fault-message = संदेश
fault-endpoint = एंडपॉइंट
fault-event = इवेंट
fault-line = आइटम
fault-course = पाठ्यक्रम
fault-waive = अलग क़ीमत का निशान
fault-file = फ़ाइल

## Refusals as sentences. The key of each is what the programs say in English.

refusal-your-account-lacks-the-role-support = आपके खाते में सहायता की भूमिका नहीं है।
refusal-your-account-lacks-the-role-finance = आपके खाते में वित्त की भूमिका नहीं है।
refusal-your-account-lacks-the-role-manager = आपके खाते में प्रबंधक की भूमिका नहीं है।
refusal-is-required-for-the-record = रिकॉर्ड के लिए ज़रूरी है: { $field }।
refusal-is-not-an-email-address = यह ईमेल पता नहीं है: { $field }।
refusal-is-not-a-number-such-as-12-50 = “{ $field }” संख्या नहीं है, जैसे 12.50।
refusal-is-not-clear-write-1000-for-a-thousand-and-1-00-for-one = “{ $field }” स्पष्ट नहीं है: हज़ार के लिए 1000 और एक के लिए 1.00 लिखें।
refusal-is-the-order-s-address-already = ऑर्डर का पता पहले से यही है।
refusal-was-bought-by-an-account-whose-owner-changes-the-address-at-the-course-platform = इसे एक खाते ने ख़रीदा है: उसका धारक पाठ्यक्रम प्लेटफ़ॉर्म पर पता बदलता है।
refusal-waits-for-its-payment-or-has-ended-only-an-order-that-is-complete-can-be-corrected = ऑर्डर भुगतान की प्रतीक्षा में है या समाप्त हो चुका है। केवल पूरा ऑर्डर ठीक किया जा सकता है।
refusal-has-opened-a-course-under-this-address-already-or-was-upgraded-or-moved = इस पते पर पाठ्यक्रम पहले ही खुल चुका है, या ऑर्डर अपग्रेड या स्थानांतरित हुआ है।
refusal-has-the-same-order-already = इस पते का यही ऑर्डर पहले से है।
refusal-is-not-a-course-of-the-organisation = आपके संस्थान में इस आईडी का कोई पाठ्यक्रम नहीं है।
refusal-is-not-on-sale-in-this-mode-or-the-buyer-has-it-already = पाठ्यक्रम इस तरीके में बिक्री पर नहीं है, या ख़रीदार के पास वह पहले से है।
refusal-gives-no-access-that-can-be-moved = यह आइटम ऐसी कोई पहुँच नहीं देता जिसे स्थानांतरित किया जा सके।
refusal-is-what-the-line-gives-already = यह आइटम यही पहले से देता है।
refusal-leads-to-what-this-person-has-already = इस व्यक्ति के पास यह पाठ्यक्रम पहले से है।
refusal-is-sold-out = पाठ्यक्रम की सभी सीटें बिक चुकी हैं।
refusal-is-being-moved-the-course-platform-has-not-confirmed-it-yet = आइटम का स्थानांतरण चल रहा है: पाठ्यक्रम प्लेटफ़ॉर्म ने अभी पुष्टि नहीं की।
refusal-has-no-invoice = ऑर्डर का कोई इनवॉइस नहीं है।
refusal-has-refunds-so-its-invoice-stays-as-it-is = ऑर्डर में रिफ़ंड हैं, इसलिए उसका इनवॉइस वैसा ही रहता है।
refusal-was-corrected-three-times-already = इनवॉइस पहले ही तीन बार सुधारा जा चुका है।
refusal-changes-the-tax-refund-the-order-and-sell-it-again = यह पता कर बदल देता है: ऑर्डर का रिफ़ंड करें और फिर से बेचें।
refusal-waits-for-no-other-invoice = इस ऑर्डर के बारे में वित्त से अब कुछ नहीं पूछा गया है।
refusal-has-no-receipt-it-is-not-paid-or-its-courses-are-not-open-yet = कोई रसीद नहीं है: ऑर्डर का भुगतान नहीं हुआ, या उसके पाठ्यक्रम अभी नहीं खुले।
refusal-has-no-open-alert = भुगतान पर अब कोई खुला अलर्ट नहीं है।
refusal-is-the-last-manager-an-operator-can-change-that = यह आख़िरी प्रबंधक है; इसे ऑपरेटर बदल सकता है।
refusal-is-not-over-yet = महीना अभी पूरा नहीं हुआ है।
refusal-is-closed-already = महीना पहले से बंद है।
refusal-is-not-a-month-such-as-2026-11 = “{ $field }” महीना नहीं है, जैसे 2026-11।
refusal-is-not-of-an-account-that-has-bought-or-enrolled-here-an-operator-can-add-it = इस पते के किसी खाते ने यहाँ न ख़रीदा है न नामांकन किया है; ऑपरेटर उसे जोड़ सकता है।
