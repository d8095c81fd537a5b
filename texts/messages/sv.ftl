# Swedish. Address the reader as du.

### Mails

## Every mail

mail-order = Beställning { $order }
mail-invoice-attached = Faktura { $number } är bifogad.
mail-credit-note-attached = Kreditfaktura { $number } är bifogad.
mail-open-course = Till din kurs
mail-begins = Start, även i den bifogade kalenderfilen:
mail-begins-at = { $course }: { $moment } ({ $zone })
mail-open-invoice = Visa din faktura
mail-open-credit-note = Visa din kreditfaktura
mail-create-account = Skapa ditt konto
mail-reason = { $organisation } skickar dig det här meddelandet eftersom det finns en beställning eller en kursregistrering på den här adressen.
mail-contact = Har du frågor? Svara på det här meddelandet eller skriv till { $email }.

## Receipt: after an order was paid or was free

receipt-subject = Ditt kvitto från { $organisation }
receipt-heading = Tack för ditt köp
receipt-bought = Det här köpte du från { $organisation } den { $date }:
receipt-voucher = Med rabattkoden { $code } sparade du { $amount }.
receipt-courses = Dina kurser finns i ditt konto. Om du inte har något än visar ett annat meddelande hur du skapar det med den här e-postadressen.
receipt-agreed = Den { $date } godkände du:
receipt-agreed-terms = köpvillkoren
receipt-agreed-version = köpvillkoren, version { $version }
receipt-agreed-begin = att vi börjar innan ångerfristen har gått ut, som du uttryckligen har begärt
receipt-agreed-service = att du förlorar din ångerrätt när tjänsten har utförts helt
receipt-agreed-content = att du därmed förlorar din ångerrätt

invoice-subject = Din faktura från { $organisation }
invoice-heading = Tack för din beställning
invoice-ordered = Det här beställde du från { $organisation } den { $date }:
invoice-pay = Överför { $amount } till det här kontot senast { $date }. Ange referensen { $reference }.
cancelled-subject = Din faktura från { $organisation } har krediterats
cancelled-heading = Din faktura har krediterats
cancelled-text = Beställningen har avbrutits: det finns inget att betala, och du har inte längre tillgång till kurserna.
transfer-subject = Så betalar du din beställning från { $organisation }
document-again-subject = Ditt dokument från { $organisation }
document-again-heading = Här är din nya länk
document-again-text = En ny länk har begärts på dokumentets sida. Du behöver inte spara de tidigare länkarna.
document-follows-subject = Ditt dokument från { $organisation }
document-follows-heading = Här är ditt dokument
document-follows-text = Det hör till beställningen. Om du har fått en tidigare version ersätter det den.

## An invoice that was corrected

corrected-subject = Din rättade faktura från { $organisation }
corrected-heading = Din faktura har rättats
corrected-text = Den nya fakturan ersätter den tidigare. I övrigt ändras inget i din beställning.

## A place that has moved to another course or person

moved-subject = En ändring i din beställning hos { $organisation }
moved-heading = Din plats har flyttats
moved-to-course = Din plats i { $from } är nu en plats i { $to }. Inget debiteras eller återbetalas för det.
moved-to-person = Din plats i { $to } tillhör nu en annan person, som önskat. Inget debiteras eller återbetalas för det.
access-ends-subject = Din tillgång till en kurs hos { $organisation } upphör snart
access-ends-heading = Din tillgång upphör snart
access-ends-text = { $date } är den sista dagen för din tillgång till { $course }.
access-ends-again = Om du köper den igen följer den nya tiden på den nuvarande.
access-over-subject = Din tillgång till en kurs hos { $organisation } har upphört
access-over-heading = Din tillgång har upphört
access-over-text = { $date } var den sista dagen för din tillgång till { $course }.
access-buy-again = Köp igen

## The waiting list of a full course

waiting-confirm-subject = En plats på en kurs hos { $organisation }: bekräfta
waiting-confirm-heading = Vill du vänta på en plats?
waiting-confirm-text = { $course } är fullbokad. Du, eller någon annan med den här adressen, har bett om att få veta när en plats blir ledig. Om det inte var du behöver du inte göra något: adressen glöms då efter en vecka.
waiting-listed-subject = Du står på väntelistan hos { $organisation }
waiting-listed-heading = Du står på väntelistan
waiting-listed-text = När en plats på { $course } blir ledig och det är din tur får du ett mejl. Platsen hålls då åt dig en tid.
waiting-leave-hint = Du kan lämna listan när som helst:
waiting-offered-subject = En plats är ledig på en kurs hos { $organisation }
waiting-offered-heading = En plats är ledig för dig
waiting-offered-text = En plats på { $course } hålls åt dig till den { $date } klockan { $time } ({ $zone }). Därefter går den till nästa person.
waiting-code = Koden { $code } ger platsen bara till den här e-postadressen.

## Refund

refund-subject = Din återbetalning från { $organisation }
refund-heading = Din återbetalning på { $amount }
refund-lines = { $organisation } har återbetalat { $amount } av din beställning:
refund-time = Pengarna går tillbaka samma väg som du betalade. Det kan ta upp till tio dagar innan de kommer fram.

## Invitation: to somebody who has courses but no account yet

invitation-subject = Din plats hos { $organisation }
invitation-heading = En plats är reserverad åt dig
invitation-courses = { $organisation } har reserverat en plats åt dig i:
invitation-how = Skapa ditt konto med den här e-postadressen för att börja lära dig.
invitation-afterwards = Dina kurser visas i ditt konto så snart det är aktivt. Om du redan har ett konto med en annan adress kan du skapa ett med den här, eller be { $organisation } att ändra den.
invitation-unexpected = Om du inte väntade dig det här meddelandet kan du bortse från det: inget händer utan dig.

## Seats ready: to somebody who bought places for others

seats-subject = Dina platser från { $organisation }
seats-heading = { PLURAL($seats) ->
    [one] Din plats är klar
   *[other] Dina { $seats } platser är klara
}
seats-ready = { PLURAL($seats) ->
    [one] Du kan nu dela ut { $seats } plats i { $item } från { $organisation }.
   *[other] Du kan nu dela ut { $seats } platser i { $item } från { $organisation }.
}
seats-manage = Tilldela dem till personer med deras e-postadresser, se vem som har en plats och ta tillbaka platser.
seats-open = Hantera dina platser
seats-link = Den här länken öppnar dina platser i ett år. Ge den bara till dem som får hantera dem.
seats-code = Skicka den här koden till andra: var och en kan ta en plats genom att beställa { $item } med den.
seats-code-too = Eller skicka den här koden till andra: var och en kan ta en plats genom att beställa { $item } med den.

## Seat assigned: to somebody for whom another person has bought a place. { $giver } is that person's address, or the seller

seat-subject = Din plats hos { $organisation }
seat-heading = Du har en plats i { $item }
seat-heading-reminder = Din plats i { $item } väntar fortfarande på dig
seat-given = { $giver } har gett dig en plats i { $item }, hos { $organisation }.
seat-in-account = Den finns i ditt konto.
seat-afterwards = Dina kurser visas i ditt konto så snart det är aktivt. Om du redan har ett konto med en annan adress kan du be { $giver } att använda den.
seat-unexpected = Om du inte väntade dig det här meddelandet kan du bortse från det.
gift-subject = En present till dig hos { $organisation }
gift-heading = { $giver } ger dig { $item }
gift-planned-heading = Din present är klar
gift-planned = { $recipient } får platsen den { $date }.
gift-given-now = Den är på väg till { $recipient }.
gift-change = Fram till dess kan du ge den till någon annan.

## Withdrawal from the contract

withdrawal-subject = Din ånger hos { $organisation }
withdrawal-heading = Din ånger har tagits emot
withdrawal-received = { $organisation } har tagit emot din ånger den { $date } kl. { $time }:
withdrawal-name = Namn: { $name }
withdrawal-email = E-post: { $email }
withdrawal-keep = Spara det här meddelandet: det bekräftar vad du har meddelat och när.
withdrawal-unproved = Inget har än visat oss att du är köparen. Din ånger räknas från tiden ovan och genomförs den { $date }. Om du inte har ångrat köpet säger du till före dess, och inget händer förrän { $organisation } har frågat dig.
withdrawal-object = Jag har inte ångrat det här köpet
withdrawal-refused-subject = Din ånger hos { $organisation } godtogs inte
withdrawal-refused-heading = Din ånger godtogs inte
withdrawal-refused = { $organisation } har granskat den ånger som du meddelade den { $date } och har inte godtagit den:
withdrawal-disagree = Om du inte håller med kan du skriva till { $organisation }.

### Mails, pages and invoices

item-seats = { PLURAL($seats) ->
    [one] { $item }, { $seats } plats
   *[other] { $item }, { $seats } platser
}
order-tax = Skatt
order-tax-included = varav skatt
order-total = Summa
# The link of receipts, and the title of the page to which it leads.
withdraw-here = Frånträd avtalet här

# The buttons of mails about a waiting list, and of the page to which they lead.
waiting-confirm = Ja, sätt upp mig på listan
waiting-leave = Lämna listan
waiting-buy = Ta platsen
waiting-decline = Jag vill inte ha den

### Pages

## The payment page

page-payment = Betalning – { $organisation }
page-your-order = Din beställning
page-pay = Betala { $amount }
page-loading = Läser in …
page-moment = Ett ögonblick …
page-back = Tillbaka till { $shop }
page-no-script = För att betala krävs JavaScript, som är avstängt i din webbläsare.
page-no-provider = Betaltjänsten går inte att nå. Ladda om sidan om en stund.
page-failed = Betalningen lyckades inte. Försök igen eller använd ett annat kort.
page-unfinished = Betalningen slutfördes inte.
page-again = Det gick inte. Försök igen.
page-confirming = Vi väntar på att din betalning ska bekräftas …
page-unconfirmed = Din betalning är inte bekräftad än. Du får ett meddelande så snart den är det; betala inte en gång till.
page-transfer = Överför { $amount } till det här kontot senast { $date }. Ange referensen så att din betalning hittas.
page-transfer-account = Konto
page-transfer-reference = Referens
transfer-code = Skanna koden med din bankapp, så fylls överföringen i.
page-transfer-partly = Betalt: { $received }. Återstår att betala: { $open }.
page-transfer-later = Du får ett meddelande så snart din betalning har kommit in, och då får du tillgång till dina kurser.

## The standing of an order: a word for lists, sentences for its buyer

standing-open = inte slutförd
standing-waiting = väntar på betalningen
standing-at-bank = väntar på banken
standing-transfer = väntar på överföringen
standing-on-account = obetald faktura
standing-overdue = förfallen faktura
standing-opening = betald
standing-registration = väntar på registrering
standing-refused = tillträde nekat
standing-complete = klar
standing-ended = tillträde avslutat
standing-partly-refunded = delvis återbetald
standing-refunded = återbetald
standing-disputed = betalningen är bestridd
standing-lost = återtagen av banken
standing-cancelled = avbruten
standing-expired = har gått ut
standing-replaced = ersatt
standing-payment-open = Den här beställningen är inte slutförd än. Du kan fortsätta i butiken.
standing-payment-free = Din beställning är klar.
standing-payment-waiting = Din betalning är inte bekräftad än. Den här sidan visar det så snart den är det.
standing-payment-at-bank = Vi väntar på din bank, vilket kan ta några dagar. Du får ett meddelande så snart din betalning har kommit in; betala inte en gång till.
standing-payment-transfer = Vi väntar på din överföring. Du får ett meddelande så snart den har kommit in.
standing-payment-on-account = Betala fakturan senast på förfallodagen.
standing-payment-overdue = Fakturan har förfallit. Betala den nu.
standing-payment-paid = Tack, din betalning har kommit in.
standing-payment-partly-refunded = En del av beställningen har återbetalats.
standing-payment-refunded = Den här beställningen har återbetalats.
standing-payment-disputed = Din bank har ombetts att ta tillbaka betalningen och har inte beslutat än.
standing-payment-lost = Din bank har tagit tillbaka betalningen.
standing-payment-cancelled = Den här beställningen avslutades. Du kan börja om i butiken.
standing-payment-expired = Den här beställningen betalades inte i tid. Du kan börja om i butiken.
standing-payment-replaced = Den här beställningen ersattes av en annan, och din bank arbetar fortfarande med betalningen. Betala den inte en gång till.
standing-access-opening = Dina kurser håller på att öppnas.
standing-access-registration = Dina kurser öppnas så snart du registrerar dig med din adress.
standing-access-open = Dina kurser finns i ditt konto.
standing-access-seats = Du kan dela ut platserna.
standing-access-refused = Kursplattformen har nekat tillträde; anordnaren undersöker det.
standing-access-ended = Tillträdet till kurserna har upphört.
standing-access-account = Dina kurser finns i kontot med din adress, när det finns.
status-replaced = Den här betalningen ersattes av en annan. Slutför den, eller börja om i butiken.

## The page of withdrawal, in two steps. Article 11a of Directive 2011/83/EU asks for the words of withdraw-here (above) and
## withdraw-confirm, or others as unambiguous: these are those of its official version, where the language has one

withdraw-confirm = Bekräfta frånträde
withdraw-intro = Med det här formuläret utövar du din ångerrätt och frånträder ett avtal. Du behöver inget konto och inte ange några skäl.
withdraw-intro-shop = Med det här formuläret utövar du din ångerrätt och frånträder ditt avtal med { $organisation }. Du behöver inget konto och inte ange några skäl.
withdraw-link-expired = Länken som du följde gäller inte längre. Du kan ändå frånträda avtalet här.
withdraw-order = Beställnings- eller fakturanummer
withdraw-order-hint = Så som det står på ditt kvitto.
withdraw-name = Ditt namn
withdraw-email = Din e-postadress
withdraw-email-hint = Adressen för din beställning. Dit skickar vi bekräftelsen.
withdraw-items = Vad frånträder du?
withdraw-item = Kurs eller program
withdraw-continue = Fortsätt
withdraw-check = Kontrollera ditt meddelande: Jag frånträder avtalet om den här beställningen.
withdraw-change = Ändra
withdraw-correct = Rätta till detta:
withdraw-no-order = Ange numret på din beställning eller faktura.
withdraw-no-name = Ange ditt namn.
withdraw-no-email = Ange din e-postadress, till exempel namn@example.com.
withdraw-no-item = Välj minst en.
withdraw-received = Din ånger har tagits emot
withdraw-received-at = Vi tog emot ditt meddelande den { $date } kl. { $time }.
withdraw-acknowledged = Om det gäller en beställning från den här adressen får du en bekräftelse med innehållet via e-post.
withdraw-confirmed = Du får en bekräftelse med innehållet via e-post.
withdraw-objection = Har du inte ångrat köpet?
withdraw-objection-text = Någon har frånträtt avtalet om din beställning utan att visa att det är du. Om det inte var du säger du till här. Då händer inget förrän säljaren har frågat dig.
withdraw-objected = Tack. Säljaren tittar på det här först, och din beställning förblir som den är till dess.
withdraw-object-late = Det finns inget mer att invända mot: ärendet är redan avgjort, återkallat eller bestritt, eller så gäller länken inte längre.

## The page of a waiting list

waiting-page-title = Väntelista
waiting-page-full = { $course } är fullbokad. Vill du få veta när en plats blir ledig?
waiting-page-listed = Du står på väntelistan till { $course }. Du får ett mejl när det är din tur.
waiting-page-offered = En plats på { $course } hålls åt dig till den { $date } klockan { $time } ({ $zone }).
waiting-page-ended = Du står inte, eller inte längre, på väntelistan till den här kursen.

## The page for buying what a link of the course platform names

buy-seats-offer = Platser till andra, pris per plats
buy-upgrade = uppgradering från { $mode }
buy-voucher-accepted = Rabattkoden { $code } är använd.
buy-voucher-refused = Koden { $code } gäller inte för den här beställningen. Det här är priset utan den.
buy-seats = Antal platser
buy-name = Namn
buy-line1 = Gata och nummer
buy-line2 = Adress, andra raden
buy-city = Ort
buy-state = Delstat eller provins
buy-postal-code = Postnummer
buy-country = Land (två bokstäver, till exempel SE)
buy-consent-terms = Jag godkänner köpvillkoren.
buy-consent-begin-now = Jag vill börja innan ångerfristen har gått ut.
buy-consent-loses-right = Jag vet att jag därmed förlorar min ångerrätt.
buy-terms = Köpvillkor
buy-enroll = Anmäl dig
buy-continue = Fortsätt till betalningen
buy-back = Tillbaka till dina kurser

## Instead of that page

buy-not-sold = Det här är inte till salu
buy-not-sold-text = Kursen eller dess intyg går inte att köpa här, eller inte längre. Gå tillbaka till kursen och öppna sidan igen därifrån.
buy-apart = Köp kurserna en i taget
buy-apart-text = Kurserna säljs av olika organisationer. Öppna varje kurs och köp den där.
buy-inactive = Bekräfta din e-postadress
buy-inactive-text = När du registrerade dig fick du ett mejl med en länk. Öppna den länken och kom sedan tillbaka till den här sidan.
buy-held = Du har redan det här
buy-held-text = Det finns inget att betala. Kursen finns i ditt konto.
buy-refused = Det går inte att köpa just nu
buy-refused-text = Kursen kan vara full, stängd för anmälan eller redan finnas i ditt konto.
buy-faulty = Kontrollera det du har angett
buy-faulty-text = Gå tillbaka och rätta till detta:
# $label is buy-seats.
buy-faulty-seats = { $label } (från 1 till { $most })
buy-signed-out = Logga in igen
buy-signed-out-text = Din session har gått ut. Öppna sidan igen från din kurs.
buy-not-admitted = Du kan inte köpa av den här organisationen
buy-not-admitted-text = Den säljer bara till sina egna deltagare. Be den om tillträde.
buy-no-payments = Butiken tar inte emot betalningar ännu
buy-no-payments-text = Försök igen senare, eller fråga organisationen.
buy-failed-text = Öppna den igen om en stund. Inget har debiterats.

## The page of a learner's orders

history-title = Dina beställningar
history-none = Du har inte köpt något ännu.
history-refunded = { $amount } återbetalt
history-invoice = Faktura { $number }
history-credit-note = Kreditfaktura { $number }

## Instead of a page that cannot be shown

problem-expired = Den här länken har gått ut
problem-expired-text = Länkar till en beställning fungerar bara en kort tid. Om du har betalat behöver du inte göra något mer: du får tillgång till dina kurser så snart betalningen kommer in, och ett kvitto via e-post. För att se din beställning, eller betala den om du inte har gjort det, går du tillbaka till butiken och loggar in.
problem-invalid = Den här länken gäller inte längre
problem-invalid-text = Länkar till en beställning fungerar bara en kort tid. Logga in och öppna beställningen igen i butiken.
problem-not-found = Beställningen hittades inte
problem-not-found-text = Den beställningen finns inte, eller är inte din. Kontrollera länken.
problem-too-many = För många förfrågningar
problem-too-many-text = Vänta en stund och öppna sidan igen.
problem-other = Sidan kan inte visas just nu
problem-other-text = Öppna den igen om en stund. Din beställning påverkas inte.
problem-unseen = Du är inte inloggad här
problem-unseen-text = Plattformen har loggat in dig, men din webbläsare talar inte om det för den här sidan. Tillåt kakor för webbplatsen och öppna sidan igen.
problem-again-text = Öppna den igen om en stund.
problem-document-text = Länkar till fakturor och kreditfakturor fungerar i 90 dagar, och bara i sin helhet. Vi kan skicka en ny till adressen som fick det första meddelandet.
problem-document-send = Skicka en ny länk
problem-document-sent = En ny länk är på väg
problem-document-sent-text = Titta i inkorgen som fick det första meddelandet. Det kan ta några minuter; högst tre meddelanden skickas per dag.
problem-invitation = Den här länken är ofullständig
problem-invitation-text = Öppna meddelandet igen och använd knappen i det, eller kopiera hela länken. Du kan också skapa ditt konto utan den: använd adressen som fick meddelandet, så visas dina kurser där.

### Invoices and credit notes

document-invoice = Faktura
document-credit-note = Kreditfaktura
document-number = Nummer
document-for-invoice = Avser faktura
document-issued = Fakturadatum
document-supplied = Leveransdatum
document-place-of-supply = Plats för tillhandahållandet
document-order = Beställning
document-reference = Referens
document-paid-through = Betald via
document-due = Förfallodag
document-payment-reference = Betalningsreferens
document-pay-to = Betala till det här kontot: { $account }
document-bank-transfer = Banköverföring
document-billed-to = Faktureras
document-tax-id = Momsnummer { $number }
document-description = Beskrivning
document-quantity = Antal
document-each = { $price } per styck, utan skatt
document-net = Netto
document-rate = Sats
document-tax = Skatt
document-total = Summa
document-total-credited = Summa krediterad
# Such as: USt 19 % of 200.00. The tax's name is the seller's legal word for it.
document-tax-of = { $tax } { $rate } av { $net }
document-converted-tax = Skatt i { $currency }: { $amount } (1 { $base } = { $rate } { $currency }, { $day }, { $source })
document-page = Sida { $page } av { $pages }
# { $mode } is the kind of enrollment, such as verified; it is not translated.
document-line = { $item } ({ $mode })
document-line-seats = { $item } ({ $mode }, platser)
document-line-upgrade = { $item } ({ $mode }, uppgradering från { $from })
document-voucher = Rabattkoden { $code } sänkte priserna med { $amount }.
document-reverse-charge = Omvänd betalningsskyldighet: köparen redovisar momsen.
document-cleared-number = Myndighetens nummer
document-cleared = Godkänd
document-cleared-code = Skanna koden för att kontrollera dokumentet hos myndigheten.
document-check-code = Skanna koden för att kontrollera dokumentet.

### The example shop

## On every page

shop-name = Exempelbutik
shop-skip = Hoppa till innehållet
shop-courses = Kurser
shop-programs = Program
shop-basket = Varukorg
shop-my-orders = Mina beställningar
shop-my-seats = Mina platser
shop-sign-in = Logga in
shop-sign-out = Logga ut
shop-footer = Kurser från flera anordnare i en butik. Du lär dig på deras kursplattform, med ett enda konto.
shop-language = Språk
shop-language-set = Byt
shop-country-demo = Land (demonstration)
shop-country-none = Inget valt
shop-country-set = Välj

## Lists

shop-hero-title = Lär dig av dem som gör jobbet
shop-hero-text = Kurser från fristående akademier, med intyg om du vill. Börja i dag, i din egen takt.
shop-search = Sök
shop-search-hint = Statistik, snickeri, sanskrit …
shop-courses-count = { PLURAL($count) ->
    [one] { $count } kurs
   *[other] { $count } kurser
}
shop-programs-count = { PLURAL($count) ->
    [one] { $count } program
   *[other] { $count } program
}
shop-organisations-count = { PLURAL($count) ->
    [one] { $count } akademi
   *[other] { $count } akademier
}
shop-filter-organisation = Filtrera efter akademi
shop-filter-topic = Filtrera efter ämne
shop-filter-all = Alla
shop-sort = Sortera efter
shop-sort-new = Nyast
shop-sort-rating = Betyg
shop-sort-price = Pris
shop-sort-name = Namn
shop-sort-set = Sortera
shop-pages = Sidor
shop-pages-back = Tillbaka
shop-pages-next = Nästa
shop-nothing-found = Inget hittades
shop-nothing-found-hint = Försök med färre ord eller ett annat ämne.
shop-show-all = Visa alla
shop-programs-offer = Läs flera kurser tillsammans och spara
shop-programs-all = Alla program
shop-new = Ny
shop-free = gratis
shop-instead-of = i stället för
shop-price-until = { $name }, till { $date }
shop-lowest-before = Lägsta pris de 30 dagarna före: { $amount }
shop-about = ungefär { $amount }
shop-percent-off = −{ $percent }
shop-rated = Betyg { $rating } av 5
shop-not-for-sale = Säljs inte just nu

## A course or a program

shop-self-paced = I din egen takt
shop-scheduled = Med fasta datum
shop-outline = Innehåll
shop-outline-size = { $sections } avsnitt, { PLURAL($lessons) ->
    [one] { $lessons } lektion
   *[other] { $lessons } lektioner
}
shop-lessons = { PLURAL($count) ->
    [one] { $count } lektion
   *[other] { $count } lektioner
}
shop-access-days = { PLURAL($days) ->
    [one] Tillgång i { $days } dag
   *[other] Tillgång i { $days } dagar
}
shop-access-until = Tillgång till { $date }
shop-reviews = Vad deltagare säger
shop-choose = Välj hur du lär dig
shop-seats-offer = Köp platser till ett team
shop-seats-number = Antal platser till andra
shop-gift-offer = Ge bort den
shop-gift = En present
shop-gift-hint = Mottagaren får platsen och ditt meddelande den dag du väljer. Utan adress delar du ut platsen själv.
shop-gift-email = Mottagarens adress
shop-gift-giver = Ditt namn, så som mottagaren läser det
shop-gift-on = Dag (tomt: genast)
shop-gift-message = Ditt meddelande
shop-error-gift-on = Välj i dag eller en senare dag, inom ett år.
shop-gift-alone = En present är en egen beställning: beställ den utan de andra artiklarna.
shop-add = Lägg i varukorgen
shop-not-for-sale-hint = Anordnaren ger bara tillgång på inbjudan eller har stängt anmälan.
shop-full = Den här kursen är fullbokad
shop-full-hint = När en plats blir ledig och det är din tur får du ett mejl, och platsen hålls åt dig en tid.
shop-wait = Vänta på en plats
shop-waiting-listed = Du står på väntelistan.
shop-waiting-asked = Vi har skickat ett mejl till dig. Bekräfta där att du vill vänta.
shop-has-code = Har du en kod för en plats?
shop-included = Ingår
shop-starts = Börjar { $date }
shop-started = Har börjat: du kan börja i dag
shop-open-until = Öppen till { $date }
shop-certificate = Ett intyg när du är godkänd
shop-receipt-included = Kvitto med e-post
shop-duration-hours = { PLURAL($count) ->
    [one] { $count } timme
   *[other] { $count } timmar
}
shop-duration-days = { PLURAL($count) ->
    [one] { $count } dag
   *[other] { $count } dagar
}
shop-duration-weeks = { PLURAL($count) ->
    [one] { $count } vecka
   *[other] { $count } veckor
}
shop-duration-months = { PLURAL($count) ->
    [one] { $count } månad
   *[other] { $count } månader
}
shop-duration-years = { PLURAL($count) ->
    [one] { $count } år
   *[other] { $count } år
}
shop-program-courses = Kurserna i ordning
shop-achievements = Vad du har när du är klar
shop-program-all = Alla kurser tillsammans
shop-program-alone = Köpta var för sig
shop-program-saved = Du sparar
shop-program-single = Säljs kurs för kurs
shop-program-single-hint = Programmet har inget eget pris. Välj bland dess kurser.
shop-program-certificates = Ett intyg för varje kurs som du klarar

## Modes

shop-mode-audit = Utan intyg
shop-mode-honor = Intyg på hedersord
shop-mode-verified = Verifierat intyg
shop-mode-professional = Yrkesutbildning
shop-mode-bootcamp = Bootcamp
shop-mode-executive-education = Chefsutbildning
shop-mode-credit = Med högskolepoäng
shop-mode-masters = Masterexamen

## The basket

shop-basket-title = Din varukorg
shop-basket-empty = Din varukorg är tom
shop-basket-empty-hint = Lägg i en kurs eller ett program, så väntar det här på dig.
shop-look-courses = Titta på kurserna
shop-start-again = Börja om
shop-look-programs = Titta på programmen
shop-price-changed = Priset har ändrats. Titta på det igen.
shop-reverse-charge-applied = Ingen skatt tas ut: ditt momsnummer har bekräftats, så ditt företag redovisar skatten självt (omvänd betalningsskyldighet).
shop-reverse-charge-invalid = Skatt tas ut: EU:s register känner inte till det här momsnumret. Kontrollera det eller ta bort det.
shop-reverse-charge-unavailable = Skatt tas ut, eftersom EU:s register inte kan bekräfta momsnumret just nu. Försök igen senare om du vill köpa utan skatt.
shop-baskets-others = Varje akademi har en egen varukorg. Du har också:
shop-basket-items = { PLURAL($count) ->
    [one] { $count } vara
   *[other] { $count } varor
}
shop-basket-full = Din varukorg är full och inget lades till. Beställ först det som ligger i den, eller ta bort något.
shop-error-required = Fyll i det här fältet.
shop-error-check = Kontrollera det du har angett.
shop-error-voucher = Koden gäller inte för den här beställningen.
shop-error-seats = Ange ett antal platser från 1 till 1000.
shop-error-item = Det går inte att köpa just nu. Ta bort det.
shop-error-items = De går inte att köpa tillsammans. Ta bort något.
shop-error-emails = Kontrollera adresserna: en på varje rad, högst 500.
shop-seats-count = { PLURAL($count) ->
    [one] { $count } plats
   *[other] { $count } platser
}
shop-upgrade = uppgradering från: { $mode }
shop-remove = Ta bort
shop-item-course = En kurs
shop-item-program = Ett program
shop-subtotal = Delsumma
shop-regional = Rabatt för ditt land
shop-discount = Rabatt
shop-quote-until = Priserna gäller till { $date }.
shop-voucher-line = Rabattkod { $code }
shop-voucher = Rabattkod
shop-voucher-apply = Använd
shop-voucher-accepted = godkänd
shop-voucher-refused = inte godkänd
shop-voucher-unknown = Koden är okänd.
shop-voucher-not_started = Den gäller inte ännu.
shop-voucher-expired = Den gäller inte längre.
shop-voucher-exhausted = Den är förbrukad.
shop-voucher-not_for_these_items = Den gäller andra kurser.
shop-voucher-currency = Den gäller en annan valuta.
shop-checkout = Till kassan
shop-sign-in-hint = med ett konto finns dina kurser där direkt.
shop-email = E-postadress
shop-email-hint = Vi skickar kvittot dit, och kurserna finns i kontot med den adressen.
shop-billing = Fakturaadress
shop-pay-by-invoice = Betala mot faktura, som företag
shop-invoice-company = För att betala mot faktura, ange företaget och det momsnummer som säljaren känner det under.
shop-invoice-sent = Fakturan kommer till dig med e-post.
shop-optional = (om den ska stå på fakturan)
shop-address-needed = (betalningen kräver fälten med *)
shop-field-name = Namn
shop-field-company = Företag
shop-field-tax_id = Momsnummer
shop-field-line1 = Gata
shop-field-city = Ort
shop-field-postal_code = Postnummer
shop-field-state = Delstat
shop-field-country = Land
shop-consents = Innan du köper
shop-consents-missing = Med den här adressen finns det något mer att godkänna. Titta på det som står nedan.
shop-terms = Läs köpvillkoren
shop-consent-terms = Jag godkänner köpvillkoren.
shop-consent-begin_now = Jag vill börja genast, innan ångerfristen har gått ut.
shop-consent-loses_right = Jag vet att jag därmed förlorar min ångerrätt.
shop-take = Delta utan kostnad
shop-buy-for = Köp för { $amount }
shop-buy-hint = Du betalar på nästa sida. Ditt korts uppgifter når aldrig butiken.

## Payment

shop-payment = Betalning
shop-leaving = Du betalar på betaltjänstens sida
shop-leaving-hint = Den öppnas av sig själv. Sedan kommer du tillbaka till din beställning här.
shop-leave = Gå dit nu
shop-pay-unavailable = Betaltjänsten går inte att nå.
shop-pay-kept = Din beställning finns kvar och inget har dragits. Försök igen, eller gå tillbaka och välj ett annat sätt.
shop-pay-again = Försök igen

## Orders

shop-order-title = Din beställning
shop-order-number = Beställning
shop-orders-title = Dina beställningar
shop-orders-none = Du har inga beställningar ännu
shop-orders-none-hint = Här står det du köper, med fakturor.
shop-timeline = Beställningens gång
shop-step-placed = Beställd
shop-step-paid = Betald
shop-step-access = Tillgång
shop-step-receipt = Kvitto
shop-step-invoice = Faktura
shop-step-waiting = väntar på betaltjänsten
shop-step-transfer = väntar på din överföring
shop-step-closed = inte betald
shop-step-account = i kontot med din adress, när det finns
shop-step-enrolled = du har tillgång till dina kurser
shop-step-seats = du kan dela ut platserna
shop-step-working = ett ögonblick
shop-step-refused = plattformen sade nej; anordnaren undersöker det
shop-step-ended = avslutad
shop-step-mail = i din e-post
shop-enrollment-none = inte ännu
shop-enrollment-enrolled = inskriven
shop-enrollment-pending_registration = väntar på ett konto
shop-enrollment-removed = avslutad
shop-enrollment-refused = nekad av plattformen
shop-refund = Begär återbetalning
shop-refund-until = till { $date }
shop-refunded = { $amount } återbetalt
shop-documents = Fakturor och kreditfakturor
shop-next = Vad som händer nu
shop-next-mail = Kvittot finns i din e-post.
shop-next-account = Logga in med den adressen för att se beställningen i ditt konto.

## Seats

shop-seats-title = Dina platser
shop-seats-none = Du har inte köpt några platser
shop-seats-none-hint = Du kan köpa platser till andra i alla kurser som kostar något.
shop-seats-manage = Hantera platserna
shop-seats-mail = Länken i din e-post öppnar platserna.
shop-seats-left = { PLURAL($seats) ->
    [one] { $left } av { $seats } plats kvar
   *[other] { $left } av { $seats } platser kvar
}
shop-batch = Resultat för varje adress
shop-batch-waiting = Sidan uppdateras tills varje adress är klar.
shop-assigned = Vem som har en plats
shop-assigned-none = Ingen ännu.
shop-seat = Plats
shop-seat-pending = väntar på ett konto
shop-seat-enrolled = inskriven
shop-seat-ended = återtagen
shop-take-back = Ta tillbaka
shop-remind = Påminn dem som inte har registrerat sig
shop-reminded = { PLURAL($count) ->
    [one] { $count } påminnelse är på väg.
   *[other] { $count } påminnelser är på väg.
}
shop-reminded-recently = { PLURAL($count) ->
    [one] { $count } adress fick ett meddelande under det senaste dygnet och får inget mer i dag.
   *[other] { $count } adresser fick ett meddelande under det senaste dygnet och får inget mer i dag.
}
shop-reminded-none = Ingen påmindes: ingen plats väntar på en registrering.
shop-taken-back-free = Platsen har tagits tillbaka. Du kan ge den till någon annan.
shop-taken-back-spent = Platsen har tagits tillbaka och tillgången har upphört. Den användes och kan därför inte delas ut igen.
shop-taken-back-none = Inget har ändrats: den här adressen har ingen plats.
shop-row-repeated = står två gånger i listan
shop-row-used-up = inga platser kvar
shop-row-address = är ingen adress som det går att skicka till
shop-row-refused = fick ingen plats
shop-assign = Dela ut platser
shop-assign-emails = E-postadresser, en på varje rad
shop-assign-do = Dela ut
shop-code = Kod:
shop-code-hint = Var och en kan ta en plats genom att beställa kursen med koden som rabattkod.

## Faults

shop-fault-missing = Sidan finns inte
shop-fault-hint-missing = Den kan ha flyttat, eller så är adressen felskriven.
shop-fault-busy = För många försök
shop-fault-hint-busy = Försök igen om en minut.
shop-fault-unavailable = Det gick inte
shop-fault-hint-unavailable = En tjänst som vi behöver svarar inte. Inget är förlorat: försök igen om en stund.
shop-fault-foreign = Formuläret kom från ett annat ställe
shop-fault-hint-foreign = Bara butikens egna sidor kan skicka dess formulär. Öppna sidan här igen och skicka formuläret därifrån.
shop-fault-unreadable = Det gick inte att läsa
shop-fault-hint-unreadable = Något i adressen eller i formuläret stämmer inte. Gå tillbaka och försök igen.
shop-fault-refused = Det gick inte
shop-fault-hint-refused = Gå tillbaka, kontrollera det du har angett och försök igen.
shop-fault-hint-link = Länkar i mejl fungerar en begränsad tid. Logga in med adressen som den skickades till, eller be anordnaren om en ny länk.
shop-to-basket = Tillbaka till varukorgen

### The course platform's catalog

slot-buy-certificate = Köp intyget
slot-buy-course = Köp kursen
slot-sold-out = Slutsåld
slot-certificate-sold-out = Intyg: slutsålt
slot-tax-rate = inkl. { $rate } skatt
slot-tax-included = inkl. skatt
slot-tax-excluded = skatt tillkommer
slot-price-before = Pris före rabatten:
slot-price-now = Pris:
slot-program = Programmet { $name }:
