# Hindi. Address the reader as आप.

### Mails

## Every mail

mail-order = ऑर्डर { $order }
mail-invoice-attached = इनवॉइस { $number } इस संदेश के साथ संलग्न है।
mail-credit-note-attached = क्रेडिट नोट { $number } इस संदेश के साथ संलग्न है।
mail-open-course = अपने पाठ्यक्रम पर जाएँ
mail-begins = आरंभ, संलग्न कैलेंडर फ़ाइल में भी:
mail-begins-at = { $course }: { $moment } ({ $zone })
mail-open-invoice = अपना इनवॉइस देखें
mail-open-credit-note = अपना क्रेडिट नोट देखें
mail-create-account = अपना खाता बनाएँ
mail-reason = { $organisation } आपको यह संदेश इसलिए भेज रहा है क्योंकि इस पते पर कोई ऑर्डर या नामांकन है।
mail-contact = कोई सवाल? इस संदेश का उत्तर दें या { $email } पर लिखें।

## Receipt: after an order was paid or was free

receipt-subject = { $organisation } से आपकी रसीद
receipt-heading = आपकी ख़रीद के लिए धन्यवाद
receipt-bought = आपने { $date } को { $organisation } से यह ख़रीदा:
receipt-voucher = वाउचर { $code } से आपके { $amount } बचे।
receipt-courses = आपके पाठ्यक्रम आपके खाते में हैं। अगर आपका खाता अभी नहीं है, तो एक दूसरा संदेश बताएगा कि इस ईमेल पते से उसे कैसे बनाएँ।
receipt-agreed = { $date } को आपने सहमति दी:
receipt-agreed-terms = बिक्री की शर्तों पर
receipt-agreed-version = बिक्री की शर्तों पर, संस्करण { $version }
receipt-agreed-begin = कि हम वापसी की अवधि समाप्त होने से पहले शुरू करें, जैसा आपने स्पष्ट रूप से कहा
receipt-agreed-service = कि सेवा पूरी तरह दिए जाने पर आपका वापसी का अधिकार समाप्त हो जाता है
receipt-agreed-content = कि इससे आपका वापसी का अधिकार समाप्त हो जाता है

invoice-subject = { $organisation } से आपका इनवॉइस
invoice-heading = आपके ऑर्डर के लिए धन्यवाद
invoice-ordered = आपने { $date } को { $organisation } से यह ऑर्डर किया:
invoice-pay = कृपया { $date } तक इस खाते में { $amount } भेजें। संदर्भ { $reference } अवश्य लिखें।
cancelled-subject = { $organisation } से आपका इनवॉइस रद्द हो गया
cancelled-heading = आपका इनवॉइस रद्द हो गया
cancelled-text = ऑर्डर रद्द हो गया: कुछ भुगतान नहीं करना है, और उसके पाठ्यक्रम अब आपके लिए उपलब्ध नहीं हैं।
transfer-subject = { $organisation } से अपने ऑर्डर का भुगतान कैसे करें
document-again-subject = { $organisation } से आपका दस्तावेज़
document-again-heading = यह रहा आपका नया लिंक
document-again-text = इस दस्तावेज़ के पेज पर नया लिंक माँगा गया था। पुराने लिंक रखने की ज़रूरत नहीं है।
document-follows-subject = { $organisation } से आपका दस्तावेज़
document-follows-heading = यह रहा आपका दस्तावेज़
document-follows-text = यह इस ऑर्डर का है। अगर हमने पहले कोई और संस्करण भेजा था, तो यह उसकी जगह लेता है।

## An invoice that was corrected

corrected-subject = { $organisation } से आपका सुधारा हुआ इनवॉइस
corrected-heading = आपका इनवॉइस सुधारा गया
corrected-text = नया इनवॉइस पिछले की जगह लेता है। आपके ऑर्डर में और कुछ नहीं बदलता।

## A place that has moved to another course or person

moved-subject = { $organisation } में आपके ऑर्डर में बदलाव
moved-heading = आपकी सीट बदल गई है
moved-to-course = { $from } में आपकी सीट अब { $to } में है। इसके लिए कुछ लिया या लौटाया नहीं जाता।
moved-to-person = { $to } में आपकी सीट अनुरोध के अनुसार अब दूसरे व्यक्ति की है। इसके लिए कुछ लिया या लौटाया नहीं जाता।
access-ends-subject = { $organisation } में आपके पाठ्यक्रम की पहुँच जल्द समाप्त होगी
access-ends-heading = आपकी पहुँच जल्द समाप्त होगी
access-ends-text = { $course } में आपकी पहुँच का आख़िरी दिन { $date } है।
access-ends-again = यदि आप इसे फिर से ख़रीदते हैं, तो नया समय मौजूदा समय के बाद शुरू होता है।
access-over-subject = { $organisation } में आपके पाठ्यक्रम की पहुँच समाप्त हो गई
access-over-heading = आपकी पहुँच समाप्त हो गई
access-over-text = { $course } में आपकी पहुँच का आख़िरी दिन { $date } था।
access-buy-again = फिर से ख़रीदें

## The waiting list of a full course

waiting-confirm-subject = { $organisation } के एक कोर्स में जगह: कृपया पुष्टि करें
waiting-confirm-heading = क्या आप जगह के लिए प्रतीक्षा करना चाहते हैं?
waiting-confirm-text = { $course } भर चुका है। आपने, या इस पते वाले किसी और व्यक्ति ने, जगह खाली होने पर सूचना माँगी है। अगर यह आपने नहीं किया, तो कुछ करने की ज़रूरत नहीं: एक सप्ताह बाद यह पता हटा दिया जाएगा।
waiting-listed-subject = आप { $organisation } की प्रतीक्षा सूची में हैं
waiting-listed-heading = आप प्रतीक्षा सूची में हैं
waiting-listed-text = जब { $course } में जगह खाली होगी और आपकी बारी आएगी, आपको ईमेल मिलेगा। वह जगह कुछ समय तक आपके लिए रखी जाएगी।
waiting-leave-hint = आप कभी भी सूची से हट सकते हैं:
waiting-offered-subject = { $organisation } के एक कोर्स में जगह खाली है
waiting-offered-heading = आपके लिए जगह खाली है
waiting-offered-text = { $course } में एक जगह { $date } को { $time } ({ $zone }) तक आपके लिए रखी गई है। उसके बाद वह अगले व्यक्ति को मिलेगी।
waiting-code = कोड { $code } केवल इसी ईमेल पते को जगह देता है।

## Refund

refund-subject = { $organisation } से आपका रिफ़ंड
refund-heading = आपका { $amount } का रिफ़ंड
refund-lines = { $organisation } ने आपके ऑर्डर के { $amount } लौटा दिए हैं:
refund-time = पैसा उसी माध्यम से लौटता है जिससे आपने भुगतान किया था। इसे पहुँचने में दस दिन तक लग सकते हैं।

## Invitation: to somebody who has courses but no account yet

invitation-subject = { $organisation } में आपका स्थान
invitation-heading = आपके लिए एक स्थान सुरक्षित है
invitation-courses = { $organisation } ने आपके लिए इनमें स्थान सुरक्षित रखा है:
invitation-how = सीखना शुरू करने के लिए इस ईमेल पते से अपना खाता बनाएँ।
invitation-afterwards = खाता सक्रिय होते ही आपके पाठ्यक्रम उसमें दिखने लगेंगे। अगर किसी दूसरे पते से आपका खाता पहले से है, तो इस पते से भी खाता बनाएँ, या { $organisation } से पता बदलने को कहें।
invitation-unexpected = अगर आपको इस संदेश की अपेक्षा नहीं थी, तो इसे अनदेखा कर सकते हैं: आपके बिना कुछ नहीं होगा।

## Seats ready: to somebody who bought places for others

seats-subject = { $organisation } से आपकी सीटें
seats-heading = { PLURAL($seats) ->
    [one] आपकी सीट तैयार है
   *[other] आपकी { $seats } सीटें तैयार हैं
}
seats-ready = { PLURAL($seats) ->
    [one] अब आप { $organisation } के { $item } की { $seats } सीट दे सकते हैं।
   *[other] अब आप { $organisation } के { $item } की { $seats } सीटें दे सकते हैं।
}
seats-manage = लोगों को उनके ईमेल पते से सीटें दें, देखें कि किसके पास सीट है, और सीटें वापस लें।
seats-open = अपनी सीटें सँभालें
seats-link = यह लिंक एक साल तक आपकी सीटें खोलता है। इसे सिर्फ़ उन्हें दें जो सीटें सँभाल सकते हैं।
seats-code = लोगों को यह कोड भेजें: इस कोड के साथ { $item } का ऑर्डर करके हर व्यक्ति एक सीट ले सकता है।
seats-code-too = या लोगों को यह कोड भेजें: इस कोड के साथ { $item } का ऑर्डर करके हर व्यक्ति एक सीट ले सकता है।

## Seat assigned: to somebody for whom another person has bought a place. { $giver } is that person's address, or the seller

seat-subject = { $organisation } में आपका स्थान
seat-heading = { $item } में आपका स्थान है
seat-heading-reminder = { $item } में आपका स्थान अब भी आपकी प्रतीक्षा कर रहा है
seat-given = { $giver } ने आपको { $organisation } के { $item } में स्थान दिया है।
seat-in-account = यह आपके खाते में है।
seat-afterwards = खाता सक्रिय होते ही आपके पाठ्यक्रम उसमें दिखने लगेंगे। अगर किसी दूसरे पते से आपका खाता पहले से है, तो { $giver } से उसी पते का उपयोग करने को कहें।
seat-unexpected = अगर आपको इस संदेश की अपेक्षा नहीं थी, तो इसे अनदेखा कर सकते हैं।
gift-subject = { $organisation } में आपके लिए एक उपहार
gift-heading = { $giver } आपको { $item } उपहार में देते हैं
gift-planned-heading = आपका उपहार तैयार है
gift-planned = { $recipient } को सीट { $date } को मिलेगी।
gift-given-now = यह { $recipient } के पास जा रहा है।
gift-change = तब तक आप इसे किसी और को दे सकते हैं।

## Withdrawal from the contract

withdrawal-subject = { $organisation } से आपकी वापसी
withdrawal-heading = आपकी वापसी मिल गई है
withdrawal-received = { $organisation } को आपकी वापसी { $date } को { $time } बजे मिली:
withdrawal-name = नाम: { $name }
withdrawal-email = ईमेल: { $email }
withdrawal-keep = कृपया यह संदेश सँभालकर रखें: यह पुष्टि करता है कि आपने क्या और कब घोषित किया।
withdrawal-unproved = अभी तक कुछ ऐसा नहीं है जिससे पता चले कि ख़रीदार आप ही हैं। वापसी ऊपर के समय से गिनी जाती है और { $date } को पूरी की जाएगी। अगर आपने इसे घोषित नहीं किया, तो उससे पहले बताएँ; तब { $organisation } के आपसे पूछने तक कुछ नहीं होगा।
withdrawal-object = मैंने यह घोषित नहीं किया
withdrawal-refused-subject = { $organisation } से आपकी वापसी स्वीकार नहीं हुई
withdrawal-refused-heading = आपकी वापसी स्वीकार नहीं हुई
withdrawal-refused = { $organisation } ने { $date } को घोषित आपकी वापसी देखी और उसे स्वीकार नहीं किया:
withdrawal-disagree = अगर आप सहमत नहीं हैं, तो कृपया { $organisation } को लिखें।

### Mails, pages and invoices

item-seats = { PLURAL($seats) ->
    [one] { $item }, { $seats } सीट
   *[other] { $item }, { $seats } सीटें
}
order-tax = कर
order-tax-included = जिसमें कर
order-total = कुल
# The link of receipts, and the title of the page to which it leads.
withdraw-here = यहाँ अनुबंध वापस लें

# The buttons of mails about a waiting list, and of the page to which they lead.
waiting-confirm = हाँ, मुझे सूची में रखें
waiting-leave = सूची से हटें
waiting-buy = जगह लें
waiting-decline = मुझे यह नहीं चाहिए

### Pages

## The payment page

page-payment = भुगतान – { $organisation }
page-your-order = आपका ऑर्डर
page-pay = { $amount } का भुगतान करें
page-loading = लोड हो रहा है…
page-moment = एक क्षण…
page-back = { $shop } पर लौटें
page-no-script = भुगतान के लिए JavaScript ज़रूरी है, जो आपके ब्राउज़र में बंद है।
page-no-provider = भुगतान सेवा से संपर्क नहीं हो पा रहा है। कृपया थोड़ी देर में यह पेज फिर से लोड करें।
page-failed = यह भुगतान सफल नहीं हुआ। कृपया फिर से कोशिश करें, या कोई दूसरा कार्ड इस्तेमाल करें।
page-unfinished = भुगतान पूरा नहीं किया गया।
page-again = यह नहीं हो सका। कृपया फिर से कोशिश करें।
page-confirming = हम आपके भुगतान की पुष्टि की प्रतीक्षा कर रहे हैं…
page-unconfirmed = आपके भुगतान की पुष्टि अभी नहीं हुई है। पुष्टि होते ही आपको संदेश मिलेगा; कृपया दोबारा भुगतान न करें।
page-transfer = कृपया { $date } तक इस खाते में { $amount } भेजें। संदर्भ अवश्य लिखें, ताकि आपका भुगतान पहचाना जा सके।
page-transfer-account = खाता
page-transfer-reference = संदर्भ
transfer-code = ट्रांसफ़र का विवरण भरने के लिए इस कोड को अपने बैंक के ऐप से स्कैन करें।
page-transfer-partly = { $received } मिल गया है; { $open } का भुगतान बाकी है।
page-transfer-later = भुगतान पहुँचते ही आपको संदेश मिलेगा, और तब आपके पाठ्यक्रम उपलब्ध हो जाएँगे।

## The standing of an order: a word for lists, sentences for its buyer

standing-open = अधूरा
standing-waiting = भुगतान की प्रतीक्षा
standing-at-bank = बैंक की प्रतीक्षा
standing-transfer = ट्रांसफ़र की प्रतीक्षा
standing-on-account = इनवॉइस बाक़ी
standing-overdue = इनवॉइस की तिथि बीत गई
standing-opening = भुगतान हुआ
standing-registration = पंजीकरण की प्रतीक्षा
standing-refused = प्रवेश अस्वीकृत
standing-complete = पूरा
standing-ended = प्रवेश समाप्त
standing-partly-refunded = कुछ धन लौटाया गया
standing-refunded = धन लौटाया गया
standing-disputed = भुगतान पर विवाद
standing-lost = बैंक ने वापस लिया
standing-cancelled = रद्द
standing-expired = समय समाप्त
standing-replaced = बदला गया
standing-payment-open = यह ऑर्डर अभी पूरा नहीं हुआ है। आप दुकान में आगे बढ़ सकते हैं।
standing-payment-free = आपका ऑर्डर पूरा हो गया है।
standing-payment-waiting = आपके भुगतान की पुष्टि अभी नहीं हुई है। पुष्टि होते ही यह पेज उसे दिखाएगा।
standing-payment-at-bank = हम आपके बैंक की प्रतीक्षा कर रहे हैं, जिसमें कुछ दिन लग सकते हैं। भुगतान पहुँचते ही आपको संदेश मिलेगा; कृपया दोबारा भुगतान न करें।
standing-payment-transfer = हम आपके ट्रांसफ़र की प्रतीक्षा कर रहे हैं। पहुँचते ही आपको संदेश मिलेगा।
standing-payment-on-account = कृपया इनवॉइस का भुगतान देय तिथि तक करें।
standing-payment-overdue = इनवॉइस की देय तिथि बीत चुकी है। कृपया अभी भुगतान करें।
standing-payment-paid = धन्यवाद, आपका भुगतान मिल गया है।
standing-payment-partly-refunded = इस ऑर्डर का कुछ पैसा लौटा दिया गया है।
standing-payment-refunded = इस ऑर्डर का पैसा लौटा दिया गया है।
standing-payment-disputed = आपके बैंक से यह भुगतान वापस लेने को कहा गया है, और उसने अभी निर्णय नहीं लिया है।
standing-payment-lost = आपके बैंक ने यह भुगतान वापस ले लिया है।
standing-payment-cancelled = यह ऑर्डर समाप्त कर दिया गया। आप दुकान में फिर से शुरू कर सकते हैं।
standing-payment-expired = इस ऑर्डर का भुगतान समय पर नहीं हुआ। आप दुकान में फिर से शुरू कर सकते हैं।
standing-payment-replaced = इस ऑर्डर की जगह दूसरा ऑर्डर आ गया है, और आपका बैंक अब भी इसके भुगतान पर काम कर रहा है। कृपया इसका दोबारा भुगतान न करें।
standing-access-opening = आपके पाठ्यक्रम खोले जा रहे हैं।
standing-access-registration = अपने पते से पंजीकरण करते ही आपके पाठ्यक्रम खुल जाएँगे।
standing-access-open = आपके पाठ्यक्रम आपके खाते में हैं।
standing-access-seats = आप सीटें बाँट सकते हैं।
standing-access-refused = पाठ्यक्रम मंच ने प्रवेश देने से मना कर दिया; संस्था इसकी जाँच कर रही है।
standing-access-ended = पाठ्यक्रमों तक पहुँच समाप्त हो गई है।
standing-access-account = आपके पाठ्यक्रम इस पते वाले खाते में हैं, जैसे ही वह बने।
status-replaced = इस भुगतान की जगह दूसरा भुगतान आ गया है। कृपया उसे पूरा करें, या दुकान में फिर से शुरू करें।

## The page of withdrawal, in two steps. Article 11a of Directive 2011/83/EU asks for the words of withdraw-here (above) and
## withdraw-confirm, or others as unambiguous: these are those of its official version, where the language has one

withdraw-confirm = अनुबंध की वापसी की पुष्टि करें
withdraw-intro = इस फ़ॉर्म से आप अनुबंध वापस ले सकते हैं। इसके लिए न खाता चाहिए, न कोई कारण।
withdraw-intro-shop = इस फ़ॉर्म से आप { $organisation } के साथ अपना अनुबंध वापस ले सकते हैं। इसके लिए न खाता चाहिए, न कोई कारण।
withdraw-link-expired = आपने जो लिंक खोला है, वह अब मान्य नहीं है। फिर भी आप यहाँ अपनी वापसी घोषित कर सकते हैं।
withdraw-order = ऑर्डर या इनवॉइस संख्या
withdraw-order-hint = जैसी आपकी रसीद पर लिखी है।
withdraw-name = आपका नाम
withdraw-email = आपका ईमेल पता
withdraw-email-hint = आपके ऑर्डर का पता। हम वहीं आपकी वापसी की पुष्टि भेजेंगे।
withdraw-items = आप किसका अनुबंध वापस ले रहे हैं?
withdraw-item = पाठ्यक्रम या कार्यक्रम
withdraw-continue = आगे बढ़ें
withdraw-check = कृपया अपनी घोषणा जाँच लें: मैं इस ऑर्डर का अनुबंध वापस लेता/लेती हूँ।
withdraw-change = बदलें
withdraw-correct = कृपया इसे ठीक करें:
withdraw-no-order = अपने ऑर्डर या इनवॉइस की संख्या लिखें।
withdraw-no-name = अपना नाम लिखें।
withdraw-no-email = अपना ईमेल पता लिखें, जैसे name@example.com।
withdraw-no-item = कम से कम एक चुनें।
withdraw-received = आपकी वापसी मिल गई है
withdraw-received-at = आपकी घोषणा हमें { $date } को { $time } बजे मिली।
withdraw-acknowledged = अगर वह इस पते के किसी ऑर्डर की है, तो आपको ईमेल से उसकी पूरी जानकारी के साथ पुष्टि मिलेगी।
withdraw-confirmed = आपको ईमेल से उसकी पूरी जानकारी के साथ पुष्टि मिलेगी।
withdraw-objection = क्या आपने यह घोषित नहीं किया?
withdraw-objection-text = किसी ने आपके ऑर्डर की वापसी घोषित की है और यह नहीं दिखाया कि वह आप ही हैं। अगर वह आप नहीं थे, तो यहाँ बताएँ। तब विक्रेता के आपसे पूछने तक कुछ नहीं होगा।
withdraw-objected = धन्यवाद। विक्रेता पहले इसे देखेगा, और तब तक आपका ऑर्डर वैसा ही रहेगा।
withdraw-object-late = अब आपत्ति करने को कुछ नहीं है: इस वापसी पर पहले ही निर्णय हो चुका है, इसे रद्द किया जा चुका है या इस पर आपत्ति हो चुकी है, या यह लिंक अब मान्य नहीं है।

## The page of a waiting list

waiting-page-title = प्रतीक्षा सूची
waiting-page-full = { $course } भर चुका है। क्या आप जगह खाली होने पर सूचना चाहते हैं?
waiting-page-listed = आप { $course } की प्रतीक्षा सूची में हैं। आपकी बारी आने पर आपको ईमेल मिलेगा।
waiting-page-offered = { $course } में एक जगह { $date } को { $time } ({ $zone }) तक आपके लिए रखी गई है।
waiting-page-ended = आप इस कोर्स की प्रतीक्षा सूची में नहीं हैं, या अब नहीं हैं।

## The page for buying what a link of the course platform names

buy-seats-offer = दूसरों के लिए सीटें, एक सीट की क़ीमत
buy-upgrade = { $mode } से अपग्रेड
buy-voucher-accepted = कोड { $code } की छूट घटा दी गई है।
buy-voucher-refused = कोड { $code } इस ऑर्डर पर लागू नहीं होता। यह उसके बिना क़ीमत है।
buy-seats = सीटों की संख्या
buy-name = नाम
buy-line1 = सड़क और मकान संख्या
buy-line2 = पता, दूसरी पंक्ति
buy-city = शहर
buy-state = राज्य या प्रांत
buy-postal-code = पिन कोड
buy-country = देश (दो अक्षर, जैसे IN)
buy-consent-terms = मैं बिक्री की शर्तों से सहमत हूँ।
buy-consent-begin-now = मैं वापसी की अवधि समाप्त होने से पहले शुरू करना चाहता/चाहती हूँ।
buy-consent-loses-right = मुझे पता है कि इससे मेरा वापसी का अधिकार समाप्त हो जाता है।
buy-terms = बिक्री की शर्तें
buy-enroll = नामांकन करें
buy-continue = भुगतान पर जाएँ
buy-back = अपने पाठ्यक्रमों पर लौटें

## Instead of that page

buy-not-sold = यह बिक्री के लिए नहीं है
buy-not-sold-text = यह पाठ्यक्रम या इसका प्रमाणपत्र यहाँ नहीं ख़रीदा जा सकता, या अब नहीं। पाठ्यक्रम पर लौटें और वहाँ से पेज फिर से खोलें।
buy-apart = कृपया इन्हें एक-एक करके ख़रीदें
buy-apart-text = इन पाठ्यक्रमों को अलग-अलग संस्थान बेचते हैं। हर पाठ्यक्रम खोलें और उसे वहीं ख़रीदें।
buy-inactive = कृपया अपने ईमेल पते की पुष्टि करें
buy-inactive-text = पंजीकरण के समय आपको एक लिंक वाला ईमेल मिला था। वह लिंक खोलें, फिर इस पेज पर लौटें।
buy-held = यह आपके पास पहले से है
buy-held-text = कोई भुगतान नहीं करना है। पाठ्यक्रम आपके खाते में है।
buy-refused = यह अभी नहीं ख़रीदा जा सकता
buy-refused-text = हो सकता है कि पाठ्यक्रम भर गया हो, उसका नामांकन बंद हो, या वह आपके खाते में पहले से हो।
buy-faulty = कृपया अपनी भरी हुई जानकारी जाँच लें
buy-faulty-text = वापस जाएँ और इसे ठीक करें:
# $label is buy-seats.
buy-faulty-seats = { $label } (1 से { $most } तक)
buy-signed-out = कृपया फिर से साइन इन करें
buy-signed-out-text = आपका सत्र समाप्त हो गया है। अपने पाठ्यक्रम से पेज फिर से खोलें।
buy-not-admitted = आप इस संस्थान से नहीं ख़रीद सकते
buy-not-admitted-text = यह केवल अपने शिक्षार्थियों को बेचता है। इससे पहुँच माँगें।
buy-no-payments = यह दुकान अभी भुगतान नहीं लेती
buy-no-payments-text = कृपया बाद में फिर से कोशिश करें, या संस्थान से पूछें।
buy-failed-text = कृपया थोड़ी देर में इसे फिर से खोलें। आपसे कोई राशि नहीं ली गई है।

## The page of a learner's orders

history-title = आपके ऑर्डर
history-none = आपने अभी तक कुछ नहीं ख़रीदा है।
history-refunded = { $amount } लौटाए गए
history-invoice = इनवॉइस { $number }
history-credit-note = क्रेडिट नोट { $number }

## Instead of a page that cannot be shown

problem-expired = इस लिंक की अवधि समाप्त हो गई है
problem-expired-text = ऑर्डर के लिंक थोड़े समय तक ही काम करते हैं। अगर आपने भुगतान कर दिया है, तो कुछ और करने की ज़रूरत नहीं: भुगतान पहुँचते ही आपके पाठ्यक्रम उपलब्ध हो जाएँगे, और आपको ईमेल से रसीद मिलेगी। अपना ऑर्डर देखने के लिए, या भुगतान बाक़ी हो तो उसे करने के लिए, दुकान पर लौटें और साइन इन करें।
problem-invalid = यह लिंक अब मान्य नहीं है
problem-invalid-text = ऑर्डर के लिंक थोड़े समय तक ही काम करते हैं। कृपया साइन इन करें और दुकान में ऑर्डर फिर से खोलें।
problem-not-found = ऑर्डर नहीं मिला
problem-not-found-text = ऐसा कोई ऑर्डर नहीं है, या वह आपका नहीं है। कृपया लिंक जाँच लें।
problem-too-many = बहुत ज़्यादा अनुरोध
problem-too-many-text = कृपया थोड़ी देर रुकें, और पेज फिर से खोलें।
problem-other = यह पेज अभी नहीं दिखाया जा सकता
problem-other-text = कृपया थोड़ी देर में इसे फिर से खोलें। आपके ऑर्डर पर कोई असर नहीं पड़ा है।
problem-unseen = आप यहाँ साइन इन नहीं हैं
problem-unseen-text = आप प्लेटफ़ॉर्म पर साइन इन हैं, लेकिन आपका ब्राउज़र यह बात इस पेज को नहीं बताता। इस साइट के लिए कुकी की अनुमति दें, फिर पेज दोबारा खोलें।
problem-again-text = कृपया थोड़ी देर में इसे फिर से खोलें।
problem-document-text = इनवॉइस और क्रेडिट नोट के लिंक 90 दिन तक काम करते हैं, और तभी जब वे पूरे हों। हम नया लिंक उस पते पर भेज सकते हैं जिस पर पहला संदेश गया था।
problem-document-send = नया लिंक भेजें
problem-document-sent = नया लिंक भेजा जा रहा है
problem-document-sent-text = कृपया वह मेलबॉक्स देखें जिसमें पहला संदेश आया था। इसमें कुछ मिनट लग सकते हैं; एक दिन में ज़्यादा से ज़्यादा तीन संदेश भेजे जाते हैं।
problem-invitation = यह लिंक अधूरा है
problem-invitation-text = कृपया संदेश फिर से खोलें और उसका बटन दबाएँ, या पूरा लिंक कॉपी करें। आप इसके बिना भी खाता बना सकते हैं: वही पता दें जिस पर संदेश आया था, और आपके पाठ्यक्रम वहाँ दिखेंगे।

### Invoices and credit notes

document-invoice = इनवॉइस
document-credit-note = क्रेडिट नोट
document-number = संख्या
document-for-invoice = मूल इनवॉइस
document-issued = जारी करने की तारीख़
document-supplied = आपूर्ति की तारीख़
document-place-of-supply = आपूर्ति का स्थान
document-order = ऑर्डर
document-reference = संदर्भ
document-paid-through = भुगतान का माध्यम
document-due = देय तिथि
document-payment-reference = भुगतान संदर्भ
document-pay-to = कृपया इस खाते में भुगतान करें: { $account }
document-bank-transfer = बैंक ट्रांसफ़र
document-billed-to = बिल पाने वाला
document-tax-id = कर पहचान संख्या { $number }
document-description = विवरण
document-quantity = मात्रा
document-each = प्रति इकाई { $price }, कर के बिना
document-net = कर-पूर्व
document-rate = दर
document-tax = कर
document-total = कुल
document-total-credited = कुल लौटाई गई राशि
# Such as: USt 19 % of 200.00. The tax's name is the seller's legal word for it.
document-tax-of = { $net } पर { $tax } { $rate }
document-converted-tax = { $currency } में कर: { $amount } (1 { $base } = { $rate } { $currency }, { $day }, { $source })
document-page = पृष्ठ { $page } / { $pages }
# { $mode } is the kind of enrollment, such as verified; it is not translated.
document-line = { $item } ({ $mode })
document-line-seats = { $item } ({ $mode }, सीटें)
document-line-upgrade = { $item } ({ $mode }, { $from } से अपग्रेड)
document-voucher = वाउचर { $code } से क़ीमतें { $amount } कम हुईं।
document-reverse-charge = रिवर्स चार्ज: VAT का भुगतान प्राप्तकर्ता को करना है।
document-cleared-number = प्राधिकरण का नंबर
document-cleared = स्वीकृत
document-cleared-code = प्राधिकरण के पास इस दस्तावेज़ की जाँच करने के लिए यह कोड स्कैन करें।
document-check-code = इस दस्तावेज़ की जाँच करने के लिए यह कोड स्कैन करें।

### The example shop

## On every page

shop-name = नमूना दुकान
shop-skip = मुख्य सामग्री पर जाएँ
shop-courses = पाठ्यक्रम
shop-programs = कार्यक्रम
shop-basket = टोकरी
shop-my-orders = मेरे ऑर्डर
shop-my-seats = मेरी सीटें
shop-sign-in = साइन इन करें
shop-sign-out = साइन आउट करें
shop-footer = कई संस्थानों के पाठ्यक्रम एक ही दुकान में। आप उनके प्लेटफ़ॉर्म पर एक ही खाते से सीखते हैं।
shop-language = भाषा
shop-language-set = बदलें
shop-country-demo = देश (प्रदर्शन)
shop-country-none = चुना नहीं गया
shop-country-set = चुनें

## Lists

shop-hero-title = उनसे सीखिए जो यह काम करते हैं
shop-hero-text = स्वतंत्र अकादमियों के पाठ्यक्रम, चाहें तो प्रमाणपत्र के साथ। आज ही शुरू कीजिए, अपनी गति से।
shop-search = खोजें
shop-search-hint = सांख्यिकी, बढ़ईगीरी, संस्कृत…
shop-courses-count = { $count } पाठ्यक्रम
shop-programs-count = { $count } कार्यक्रम
shop-organisations-count = { PLURAL($count) ->
    [one] { $count } अकादमी
   *[other] { $count } अकादमियाँ
}
shop-filter-organisation = अकादमी के अनुसार छाँटें
shop-filter-topic = विषय के अनुसार छाँटें
shop-filter-all = सभी
shop-sort = क्रम
shop-sort-new = नवीनतम
shop-sort-rating = रेटिंग
shop-sort-price = क़ीमत
shop-sort-name = नाम
shop-sort-set = क्रम लगाएँ
shop-pages = पृष्ठ
shop-pages-back = पीछे
shop-pages-next = आगे
shop-nothing-found = कुछ नहीं मिला
shop-nothing-found-hint = कम शब्दों से या किसी और विषय में खोजिए।
shop-show-all = सभी दिखाएँ
shop-programs-offer = कई पाठ्यक्रम साथ लीजिए और बचत कीजिए
shop-programs-all = सभी कार्यक्रम
shop-new = नया
shop-free = निःशुल्क
shop-instead-of = पहले
shop-price-until = { $name }, { $date } तक
shop-lowest-before = इससे पहले के 30 दिनों की सबसे कम क़ीमत: { $amount }
shop-about = लगभग { $amount }
shop-percent-off = −{ $percent }
shop-rated = 5 में से { $rating } रेटिंग
shop-not-for-sale = अभी बिक्री में नहीं है

## A course or a program

shop-self-paced = अपनी गति से
shop-scheduled = निश्चित तिथियों के साथ
shop-outline = इसमें क्या है
shop-outline-size = खंड: { $sections }, पाठ: { $lessons }
shop-lessons = { $count } पाठ
shop-access-days = { $days } दिन की पहुँच
shop-access-until = { $date } तक पहुँच
shop-reviews = सीखने वाले क्या कहते हैं
shop-choose = चुनिए कि आप कैसे सीखेंगे
shop-seats-offer = टीम के लिए सीटें ख़रीदें
shop-seats-number = दूसरों के लिए सीटों की संख्या
shop-gift-offer = किसी को उपहार दें
shop-gift = एक उपहार
shop-gift-hint = पाने वाले को आपके चुने हुए दिन सीट और आपका संदेश मिलता है। पते के बिना, सीट आप स्वयं देते हैं।
shop-gift-email = पाने वाले का पता
shop-gift-giver = आपका नाम, जैसा पाने वाला पढ़ेगा
shop-gift-on = दिन (खाली: तुरंत)
shop-gift-message = आपका संदेश
shop-error-gift-on = आज या एक साल के भीतर का कोई बाद का दिन चुनें।
shop-gift-alone = उपहार एक अलग ऑर्डर होता है: इसे बाकी चीज़ों के बिना ऑर्डर करें।
shop-add = टोकरी में डालें
shop-not-for-sale-hint = संस्थान आमंत्रण से प्रवेश देता है, या उसने नामांकन बंद कर दिया है।
shop-full = यह कोर्स भर चुका है
shop-full-hint = जब जगह खाली होगी और आपकी बारी आएगी, आपको ईमेल मिलेगा, और वह जगह कुछ समय तक आपके लिए रखी जाएगी।
shop-wait = जगह की प्रतीक्षा करें
shop-waiting-listed = आप प्रतीक्षा सूची में हैं।
shop-waiting-asked = हमने आपको ईमेल भेजा है। कृपया उसमें पुष्टि करें कि आप प्रतीक्षा करना चाहते हैं।
shop-has-code = क्या आपके पास जगह का कोड है?
shop-included = इसमें शामिल
shop-starts = { $date } को शुरू होता है
shop-started = शुरू हो चुका है: आज ही जुड़िए
shop-open-until = { $date } तक खुला
shop-certificate = उत्तीर्ण होने पर प्रमाणपत्र
shop-receipt-included = ईमेल से रसीद
shop-duration-hours = { PLURAL($count) ->
    [one] { $count } घंटा
   *[other] { $count } घंटे
}
shop-duration-days = { $count } दिन
shop-duration-weeks = { $count } सप्ताह
shop-duration-months = { PLURAL($count) ->
    [one] { $count } महीना
   *[other] { $count } महीने
}
shop-duration-years = { $count } वर्ष
shop-program-courses = पाठ्यक्रम, क्रम से
shop-achievements = अंत में आपके पास क्या होगा
shop-program-all = सभी पाठ्यक्रम एक साथ
shop-program-alone = अलग-अलग ख़रीदने पर
shop-program-saved = आपकी बचत
shop-program-single = हर पाठ्यक्रम अलग बिकता है
shop-program-single-hint = इस कार्यक्रम की अपनी क़ीमत नहीं है। इसके पाठ्यक्रम चुनिए।
shop-program-certificates = उत्तीर्ण हर पाठ्यक्रम का प्रमाणपत्र

## Modes

shop-mode-audit = बिना प्रमाणपत्र
shop-mode-honor = मानद प्रमाणपत्र
shop-mode-verified = सत्यापित प्रमाणपत्र
shop-mode-professional = व्यावसायिक
shop-mode-bootcamp = बूटकैंप
shop-mode-executive-education = कार्यकारी शिक्षा
shop-mode-credit = शैक्षणिक क्रेडिट के साथ
shop-mode-masters = स्नातकोत्तर

## The basket

shop-basket-title = आपकी टोकरी
shop-basket-empty = आपकी टोकरी खाली है
shop-basket-empty-hint = कोई पाठ्यक्रम या कार्यक्रम डालिए, वह यहाँ आपकी प्रतीक्षा करेगा।
shop-look-courses = पाठ्यक्रम देखें
shop-start-again = फिर से शुरू कीजिए
shop-look-programs = कार्यक्रम देखें
shop-price-changed = क़ीमत बदल गई है। कृपया फिर से देखिए।
shop-reverse-charge-applied = कोई कर नहीं लिया जाता: आपकी कर पहचान संख्या की पुष्टि हो गई है, इसलिए कर की घोषणा आपकी कंपनी करती है (रिवर्स चार्ज)।
shop-reverse-charge-invalid = कर लिया जाता है: यूरोपीय संघ का रजिस्टर इस कर पहचान संख्या को नहीं जानता। कृपया इसे जाँच लें, या हटा दें।
shop-reverse-charge-unavailable = कर लिया जाता है, क्योंकि यूरोपीय संघ का रजिस्टर अभी कर पहचान संख्या की पुष्टि नहीं कर पा रहा है। बिना कर के ख़रीदने के लिए कृपया बाद में फिर से कोशिश करें।
shop-baskets-others = हर अकादमी की अपनी टोकरी होती है। आपके पास ये भी हैं:
shop-basket-items = { PLURAL($count) ->
    [one] { $count } वस्तु
   *[other] { $count } वस्तुएँ
}
shop-basket-full = आपकी टोकरी भर गई है, इसलिए कुछ नहीं जोड़ा गया। कृपया पहले उसमें रखी चीज़ें ख़रीदें, या कुछ हटाएँ।
shop-error-required = कृपया इसे भरें।
shop-error-check = कृपया अपनी भरी हुई जानकारी जाँच लें।
shop-error-voucher = यह कोड इस ऑर्डर पर लागू नहीं होता।
shop-error-seats = सीटों की संख्या 1 से 1000 तक लिखें।
shop-error-item = यह अभी नहीं ख़रीदा जा सकता। कृपया इसे हटाएँ।
shop-error-items = ये एक साथ नहीं ख़रीदे जा सकते। कृपया कुछ हटाएँ।
shop-error-emails = कृपया पते जाँच लें: हर पंक्ति में एक, अधिक से अधिक 500।
shop-seats-count = { PLURAL($count) ->
    [one] { $count } सीट
   *[other] { $count } सीटें
}
shop-upgrade = इससे अपग्रेड: { $mode }
shop-remove = हटाएँ
shop-item-course = एक पाठ्यक्रम
shop-item-program = एक कार्यक्रम
shop-subtotal = उप-योग
shop-regional = आपके देश के लिए छूट
shop-discount = छूट
shop-quote-until = ये क़ीमतें { $date } तक मान्य हैं।
shop-voucher-line = वाउचर { $code }
shop-voucher = वाउचर
shop-voucher-apply = लगाएँ
shop-voucher-accepted = स्वीकार हुआ
shop-voucher-refused = स्वीकार नहीं हुआ
shop-voucher-unknown = यह कोड ज्ञात नहीं है।
shop-voucher-not_started = यह अभी मान्य नहीं है।
shop-voucher-expired = यह अब मान्य नहीं है।
shop-voucher-exhausted = इसके सभी उपयोग हो चुके हैं।
shop-voucher-not_for_these_items = यह दूसरे पाठ्यक्रमों के लिए है।
shop-voucher-currency = यह दूसरी मुद्रा के लिए है।
shop-checkout = ऑर्डर पूरा करें
shop-sign-in-hint = खाते के साथ आपके पाठ्यक्रम तुरंत उपलब्ध होते हैं।
shop-email = ईमेल पता
shop-email-hint = रसीद हम इस पते पर भेजते हैं, और आपके पाठ्यक्रम इसी पते वाले खाते में होंगे।
shop-billing = बिलिंग पता
shop-pay-by-invoice = कंपनी के रूप में इनवॉइस से भुगतान करें
shop-invoice-company = इनवॉइस से भुगतान करने के लिए कंपनी का नाम और वह कर पहचान संख्या लिखें जिससे विक्रेता उसे जानता है।
shop-invoice-sent = इनवॉइस आपको ईमेल से भेजा जा रहा है।
shop-optional = (यदि इनवॉइस पर चाहिए)
shop-address-needed = (भुगतान के लिए * वाले खाने ज़रूरी हैं)
shop-field-name = नाम
shop-field-company = कंपनी
shop-field-tax_id = कर पहचान संख्या (जैसे GSTIN)
shop-field-line1 = सड़क
shop-field-city = शहर
shop-field-postal_code = पिन कोड
shop-field-state = राज्य
shop-field-country = देश
shop-consents = ख़रीदने से पहले
shop-consents-missing = इस पते के साथ कुछ और भी स्वीकार करना है। कृपया नीचे लिखी बातें देखें।
shop-terms = बिक्री की शर्तें पढ़ें
shop-consent-terms = मैं बिक्री की शर्तों से सहमत हूँ।
shop-consent-begin_now = मैं वापसी की अवधि समाप्त होने से पहले, तुरंत शुरू करना चाहता/चाहती हूँ।
shop-consent-loses_right = मुझे पता है कि इससे मेरा वापसी का अधिकार समाप्त हो जाता है।
shop-take = पाठ्यक्रम लें
shop-buy-for = { $amount } में ख़रीदें
shop-buy-hint = भुगतान अगले पेज पर होता है। आपके कार्ड का विवरण इस दुकान तक कभी नहीं पहुँचता।

## Payment

shop-payment = भुगतान
shop-leaving = भुगतान प्रदाता के पेज पर होता है
shop-leaving-hint = वह अपने आप खुलता है। उसके बाद आप यहाँ अपने ऑर्डर पर लौटते हैं।
shop-leave = अभी जाएँ
shop-pay-unavailable = भुगतान सेवा से संपर्क नहीं हो पा रहा है।
shop-pay-kept = आपका ऑर्डर सुरक्षित है, और कोई पैसा नहीं लिया गया है। कृपया फिर से कोशिश करें, या वापस जाकर दूसरा तरीक़ा चुनें।
shop-pay-again = फिर से कोशिश करें

## Orders

shop-order-title = आपका ऑर्डर
shop-order-number = ऑर्डर
shop-orders-title = आपके ऑर्डर
shop-orders-none = अभी कोई ऑर्डर नहीं है
shop-orders-none-hint = आप जो ख़रीदते हैं वह इनवॉइस के साथ यहाँ दिखता है।
shop-timeline = ऑर्डर की प्रगति
shop-step-placed = ऑर्डर किया
shop-step-paid = भुगतान
shop-step-access = प्रवेश
shop-step-receipt = रसीद
shop-step-invoice = इनवॉइस
shop-step-waiting = प्रदाता की प्रतीक्षा
shop-step-transfer = आपके ट्रांसफ़र की प्रतीक्षा है
shop-step-closed = भुगतान नहीं हुआ
shop-step-account = इस पते वाले खाते में, जैसे ही वह बने
shop-step-enrolled = आपके पाठ्यक्रम उपलब्ध हैं
shop-step-seats = आप सीटें बाँट सकते हैं
shop-step-working = एक क्षण
shop-step-refused = प्लेटफ़ॉर्म ने मना किया; संस्थान जाँच कर रहा है
shop-step-ended = समाप्त
shop-step-mail = आपके ईमेल में
shop-enrollment-none = अभी नहीं
shop-enrollment-enrolled = नामांकित
shop-enrollment-pending_registration = खाते की प्रतीक्षा
shop-enrollment-removed = समाप्त
shop-enrollment-refused = प्लेटफ़ॉर्म ने मना किया
shop-refund = रिफ़ंड माँगें
shop-refund-until = { $date } तक
shop-refunded = { $amount } लौटाए गए
shop-documents = इनवॉइस और क्रेडिट नोट
shop-next = आगे क्या होगा
shop-next-mail = रसीद आपके ईमेल में है।
shop-next-account = अपने खाते में ऑर्डर देखने के लिए उसी पते से साइन इन कीजिए।

## Seats

shop-seats-title = आपकी सीटें
shop-seats-none = आपने कोई सीट नहीं ख़रीदी है
shop-seats-none-hint = हर सशुल्क पाठ्यक्रम में आप दूसरों के लिए सीटें ख़रीद सकते हैं।
shop-seats-manage = सीटें सँभालें
shop-seats-mail = आपके ईमेल का लिंक सीटें खोलता है।
shop-seats-left = { PLURAL($left) ->
    [one] { $seats } में से { $left } सीट शेष
   *[other] { $seats } में से { $left } सीटें शेष
}
shop-batch = हर पते का परिणाम
shop-batch-waiting = हर पता पूरा होने तक यह पेज बदलता रहता है।
shop-assigned = सीट किसके पास है
shop-assigned-none = अभी किसी के पास नहीं।
shop-seat = सीट
shop-seat-pending = खाते की प्रतीक्षा
shop-seat-enrolled = नामांकित
shop-seat-ended = वापस ली गई
shop-take-back = वापस लें
shop-remind = जिन्होंने पंजीकरण नहीं किया उन्हें याद दिलाएँ
shop-reminded = { PLURAL($count) ->
    [one] { $count } अनुस्मारक भेजा जा रहा है।
   *[other] { $count } अनुस्मारक भेजे जा रहे हैं।
}
shop-reminded-recently = { PLURAL($count) ->
    [one] { $count } पते को पिछले एक दिन में संदेश मिल चुका है, इसलिए आज दूसरा नहीं भेजा जाता।
   *[other] { $count } पतों को पिछले एक दिन में संदेश मिल चुका है, इसलिए आज दूसरा नहीं भेजा जाता।
}
shop-reminded-none = किसी को याद नहीं दिलाया गया: कोई सीट पंजीकरण की प्रतीक्षा में नहीं है।
shop-taken-back-free = सीट वापस ले ली गई है। आप इसे किसी और को दे सकते हैं।
shop-taken-back-spent = सीट वापस ले ली गई है और उसकी पहुँच समाप्त हो गई है। वह उपयोग में थी, इसलिए फिर से नहीं दी जा सकती।
shop-taken-back-none = कुछ नहीं बदला: इस पते के पास कोई सीट नहीं है।
shop-row-repeated = सूची में दो बार है
shop-row-used-up = कोई सीट शेष नहीं
shop-row-address = ऐसा पता नहीं है जिस पर ईमेल भेजा जा सके
shop-row-refused = को सीट नहीं मिली
shop-assign = सीटें दें
shop-assign-emails = ईमेल पते, हर पंक्ति में एक
shop-assign-do = दें
shop-code = कोड:
shop-code-hint = हर व्यक्ति इस कोड को वाउचर की तरह लगाकर यह पाठ्यक्रम लेने पर एक सीट पा सकता है।

## Faults

shop-fault-missing = ऐसा कोई पेज नहीं है
shop-fault-hint-missing = शायद यह कहीं और चला गया है, या पते में कोई भूल है।
shop-fault-busy = बहुत अधिक प्रयास
shop-fault-hint-busy = कृपया एक मिनट बाद फिर से कोशिश कीजिए।
shop-fault-unavailable = यह नहीं हो सका
shop-fault-hint-unavailable = एक आवश्यक सेवा उत्तर नहीं दे रही है। कुछ खोया नहीं है: कृपया थोड़ी देर बाद फिर से कोशिश कीजिए।
shop-fault-foreign = यह फ़ॉर्म कहीं और से आया
shop-fault-hint-foreign = इस दुकान के फ़ॉर्म केवल इसी के पेज भेज सकते हैं। पेज को यहाँ फिर से खोलें और फ़ॉर्म वहीं से भेजें।
shop-fault-unreadable = इसे पढ़ा नहीं जा सका
shop-fault-hint-unreadable = पते में या फ़ॉर्म में कुछ सही नहीं है। वापस जाएँ और फिर से कोशिश करें।
shop-fault-refused = यह नहीं हो सका
shop-fault-hint-refused = कृपया वापस जाएँ, अपनी भरी हुई जानकारी जाँचें और फिर से कोशिश करें।
shop-fault-hint-link = ईमेल के लिंक सीमित समय तक काम करते हैं। कृपया उसी पते से साइन इन करें जिस पर वह भेजा गया था, या संस्थान से नया लिंक माँगें।
shop-to-basket = टोकरी पर वापस

### The course platform's catalog

slot-buy-certificate = प्रमाणपत्र ख़रीदें
slot-buy-course = पाठ्यक्रम ख़रीदें
slot-sold-out = सभी सीटें भर गईं
slot-certificate-sold-out = प्रमाणपत्र: सभी सीटें भर गईं
slot-tax-rate = { $rate } कर सहित
slot-tax-included = कर सहित
slot-tax-excluded = कर अतिरिक्त
slot-price-before = छूट से पहले की कीमत:
slot-price-now = कीमत:
slot-program = प्रोग्राम { $name }:
