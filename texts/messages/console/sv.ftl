# Swedish. Address the reader as du.

### Every page

## The frame of each page

console-title = Konsol
console-skip = Hoppa till innehållet
console-desk = kundtjänst
console-search = Sök
console-search-for = Adress, namn, företag, beställning, referens, kurs, kod
console-other-shop = Byt butik
console-sign-out = Logga ut
console-zone = Dagar och tider är de i { $zone }.

## Links below a long list

console-pages = Sidor
console-previous = Föregående
console-page = Sida { $n }
console-next = Nästa

## Moments and times: { $time } is a date with its time of day, such as 31 jan. 2030 12:00

console-age-now = sedan mindre än en minut
console-age-minutes = { PLURAL($n) ->
    [one] sedan { $n } minut
   *[other] sedan { $n } minuter
}
console-age-hours = { PLURAL($n) ->
    [one] sedan { $n } timme
   *[other] sedan { $n } timmar
}
console-age-days = { PLURAL($n) ->
    [one] sedan { $n } dag
   *[other] sedan { $n } dagar
}
console-since = sedan { $date }

## Words that are headings of columns, names of fields, or buttons

console-action = Åtgärd
console-address = Adress
console-addresses = Adresser
console-amount = Belopp
console-budget = Budget
console-buyer = Köpare
console-campaign = Kampanj
console-change = Ändra
console-code = Kod
console-course = Kurs
console-courses = Kurser
console-filter = Filtrera
console-mode = Variant
console-note = Anteckning
console-order = Beställning
console-orders = Beställningar
console-placed = Beställd
console-price = Pris
console-reason = Skäl
console-refunded = Återbetalt
console-row = Rad
console-rows = Rader
console-save = Spara
console-status = Status
console-tax = Skatt
console-total = Summa
console-url = URL
console-uses = Användningar
console-uses-in-all = Användningar totalt
console-uses-by-one = Användningar per köpare
console-takes-off = Rabatt
console-taken-off = Avdraget
console-valid-from = Gäller från
console-valid-until = Gäller till
console-no-end = tills vidare
console-no-limit = obegränsat
console-ended = avslutad
console-of = { $part } av { $whole }
console-last-30-days = Senaste 30 dagarna

## What several pages say

console-will-happen = Det här händer
console-on-record = Det loggas under ditt namn, { $name }.
console-show-first = Visa vad som händer
console-ask-platform = Fråga kursplattformen igen
console-look-again = Titta igen
console-progress = Förlopp
console-done-of = { $done } av { $total } är klara.
console-done-and-failed = { $done } av { $total } är klara, { $failed } misslyckades.

### Stored words, each as a tag or in a column

## Status of an order


## Status of a person's access to a course

access-status-enrolled = inskriven
access-status-pending-registration = väntar på registrering
access-status-removed = avslutad
access-status-refused = nekad
access-status-cancelled = avbruten
access-status-none = ingen tillgång

## Status of a payment

payment-status-created = skapad
payment-status-processing = behandlas
payment-status-succeeded = genomförd
payment-status-failed = misslyckad
payment-status-cancelled = avbruten
payment-status-superseded = ersatt
payment-status-refunded = återbetald

## Status of a refund

refund-status-asked = begärd
refund-status-accepted = godkänd
refund-status-succeeded = genomförd
refund-status-failed = misslyckad

## Status of a dispute at the buyer's bank

dispute-status-open = öppen
dispute-status-won = vunnen
dispute-status-lost = förlorad

## Status of a withdrawal, which a buyer has declared

withdrawal-status-received = väntar
withdrawal-status-unmatched = hör inte till någon beställning
withdrawal-status-accepted = godtagen
withdrawal-status-refused = nekad

## Status of a row of a batch, and of the batch

row-status-waiting = väntar
row-status-done = klar
row-status-failed = misslyckad
batch-status-running = pågår
batch-status-done = klar

## Status of a seat that an address has

seat-status-pending = väntar på registrering
seat-status-enrolled = inskriven
seat-status-ended = avslutad

## Status of a voucher's use: given back if the order ended unpaid

use-status-held = väntar på betalning
use-status-used = använd
use-status-released = återlämnad
use-status-late = betald för sent

## Status of an event's delivery to an endpoint

delivery-status-waiting = väntar
delivery-status-delivered = levererad
delivery-status-given-up = avbruten

## What a row of a batch does

action-enroll = skriv in
action-unenroll = avsluta inskrivning

## What a voucher takes off: a whole seat in a course, if it is the code of a pool of seats

voucher-kind-percent = procent
voucher-kind-amount = belopp
voucher-kind-seat = plats

## Movements of money, in reports

movement-captured = betalning
movement-refunded = återbetalning
movement-refund-failed = misslyckad återbetalning
movement-chargeback = återkrav
movement-chargeback-reversed = hävt återkrav
movement-moved = flytt
movement-fee = avgift
movement-payout = utbetalning

## Documents

document-kind-invoice = faktura
document-kind-credit-note = kreditfaktura
document-status-requested = begärt
document-status-issued = utfärdat
document-status-refused = avvisat
document-status-cancelled = makulerat

## Mails to buyers and learners; also in sentences, as in The mail “receipt” was sent.

mail-kind-receipt = kvitto
mail-kind-invoice = faktura
mail-kind-invoice-cancelled = faktura krediterad
mail-kind-invoice-corrected = rättad faktura
mail-kind-access-moved = flytt
mail-kind-transfer-requested = betalningsuppgifter
mail-kind-document-again = länk till dokumentet
mail-kind-document-follows = dokument som skickats senare
mail-kind-refund-issued = återbetalning
mail-kind-registration-invitation = inbjudan
mail-kind-seats-ready = platser
mail-kind-seat-assigned = plats
mail-kind-withdrawal-received = ånger mottagen
mail-kind-withdrawal-refused = ånger nekad

## What of an order the text of a search was

found-by-order = beställning
found-by-payment = betalning
found-by-refund = återbetalning
found-by-dispute = tvist
found-by-document = dokument
found-by-reference = köparens ordernummer
found-by-transfer = bankens referens
found-by-course = kurs
found-by-address = adress
found-by-name = namn
found-by-company = företag
found-by-tax-id = momsnummer

## Roles of the staff

role-support = kundtjänst
role-finance = ekonomi
role-manager = administratör

### The start page: what needs a person, and figures

start-title = Start
start-heading = Att hantera
start-nothing = Inget väntar på dig.
start-decide = Avgör …
start-decide-text = Om meddelandet behandlas igen utförs det som inte gick förut. Om det kastas är det borta för gott, och det som skulle ha hänt händer inte.
start-process-again = Behandla igen
start-drop = Kasta för gott
start-mail-again = Skicka mejlet igen
start-open-withdrawal = Öppna ångerärendet
start-open-invoice = Öppna fakturabegäran
start-open-events = Öppna händelserna
start-open-order = Öppna beställningen
start-open-person = Öppna personen
start-today = I dag
start-paid = Betalt
start-orders = { PLURAL($n) ->
    [one] { $n } beställning
   *[other] { $n } beställningar
}
start-no-money = Inga pengar har rört sig sedan midnatt.
owed-title = Obetalt
owed-text = Beställningar vars överföring eller faktura inte är betald än, den äldsta förfallodagen först.
owed-open = Öppet
owed-overdue = Förfallet
owed-how = Betalning
owed-on-account = mot faktura
owed-none = Inget är obetalt.
owed-pending-text = Betalningar som betaltjänsten fortfarande behandlar, till exempel autogiron, den äldsta beställningen först.
owed-until = Beställningar till och med slutet av { $month }.
owed-all = Visa alla
owed-placed = Beställd
owed-at-provider = hos betaltjänsten

## The chart of orders by day: { $up } were paid, { $down } ended unpaid; { $most } is the largest number of a day

start-chart = Senaste 30 dagarna: betalda { $up }, avslutade obetalda { $down }; högst { $most } på en dag
start-chart-day = { $day }: betalda { $up }, avslutade obetalda { $down }
start-chart-up = Betalda: { $n }
start-chart-down = Avslutade obetalda: { $n }

## Tags: what waits for a person

waiting-kind-payment = betalning
waiting-kind-notification = avisering
waiting-kind-access = tillgång
waiting-kind-enrollment = inskrivning
waiting-kind-refund = återbetalning
waiting-kind-refund-to-pay = återbetalning
waiting-kind-overdue = förfallet
waiting-kind-invoice = faktura
waiting-kind-document = dokument
waiting-kind-withdrawal = ånger
waiting-kind-mail = mejl
waiting-kind-endpoint = slutpunkt
waiting-kind-dead-letter = meddelande

## What waits for a person, and what to do about it

waiting-payment = Betalningen kräver ett beslut. Läs orsaken, gör det som behövs och stäng sedan varningen.
waiting-notification = Betaltjänstens avisering stämmer inte med det som är sparat. Jämför den med betaltjänstens kontrollpanel.
waiting-access = Beställningen är betald, men kurserna är inte öppnade än.
waiting-enrollment = Kursplattformen har nekat inskrivningen. Åtgärda orsaken där och försök sedan igen här.
waiting-refund = Betaltjänsten har inte svarat om återbetalningen än. Den tillfrågas igen automatiskt.
waiting-refund-to-pay = Betala tillbaka via din bank. Rapportera sedan att pengarna har kommit fram eller att de kom tillbaka.
waiting-overdue = Pengarna skulle ha betalats och har inte kommit. Påminn köparen, bokför det som har kommit eller avbryt beställningen.
waiting-invoice = Kundtjänst ber om en rättad faktura, där momsen betalas tillbaka. Bekräfta eller neka.
waiting-document = Ett annat system har inte utfärdat dokumentet på ett dygn. Fråga där, eller rapportera vad det säger.
waiting-withdrawal = En köpare har ångrat sitt köp. Godta det, betala tillbaka en del eller neka med en motivering; pengarna ska vara återbetalda 14 dagar efter meddelandet.
waiting-mail = Mejlet kom inte fram. Rätta adressen eller skicka det igen.
waiting-endpoint = Händelser levereras inte längre till den här adressen. Se till att mottagaren fungerar och aktivera den sedan igen.
waiting-dead-letter = Ett meddelande kunde inte behandlas. Åtgärda orsaken och behandla det sedan igen; kasta det bara om inget ska hända.

### Where do you work: for a person on the staff of several shops

choose-title = Var arbetar du i dag?
choose-hello = Hej { $name }. Du hör till personalen hos de här organisationerna.

### What a search has found

search-results = Resultat för ”{ $text }”
search-short = Skriv minst 2 tecken: en adress, en del av namnet eller företaget på en faktura, dess momsnummer, en beställning, ett dokumentnummer, köparens eget ordernummer, referensen för en överföring, från din bank eller från betaltjänsten, en rabattkod eller en kurs med namn eller id.
search-none = Inget hos { $organisation } stämmer med det här. Prova hela adressen, eller minst tre bokstäver av namnet eller företaget på fakturan. Andra butikers beställningar visas inte här.
search-voucher = rabattkod
search-course = kurs
search-found-by = Hittad via
search-more = Det finns fler träffar än de här. Skriv mer för att begränsa sökningen.

### An order

order-title = Beställning från { $email }
order-placed = beställd { $date }
order-former-shop = Såld av { $shop } innan den flyttades hit: bara en post utan åtgärder. Återbetalningar och kvitton begärs där.
order-former-shop-account = Såld av { $shop } innan den flyttades hit. Den betalades till det konto hos { $provider } som används här, så den kan återbetalas här. Kvitton begärs där.
order-alert = Betalningen kräver ett beslut
order-alert-done = Vad som har gjorts åt det
order-alert-close = Stäng varningen
order-bought = Köpt
order-lines = Rader
order-line = Rad
order-access = Tillgång
order-seats = { PLURAL($n) ->
    [one] { $n } plats
   *[other] { $n } platser
}
order-gift = Present
order-gift-given = Överlämnad { $date }
order-gift-planned = Till den { $date }
order-is-moving = flyttas till { $course }
order-is-moving-to-person = flyttas till en annan person
order-moved = flyttad till { $course }
order-moved-to-person = flyttad till en annan person
order-total-with-voucher = Summa med { $code }

## Refund

order-refund = Återbetala …
order-refund-text = Kryssa för rader ovan för att återbetala dem och avsluta deras tillgång; utan kryss återbetalas hela beställningen. Nästa sida visar vad som kommer att hända innan något sker.
order-refund-amount = Belopp, om mindre
order-refund-all-left = allt som återstår
order-refund-keep = Goodwill: betala tillbaka beloppet utan att avsluta någon tillgång

## Move

order-move = Flytta …
order-move-text = Raden ger tillgång till en annan kurs, eller ger sin tillgång till en annan person. Inga pengar flyttas och fakturan förblir som den är. Nästa sida visar vad som kommer att hända.
order-move-course = Till kursen
order-move-person = Till personen med adressen

## Access: what the course platform says about it

order-withdrawals = Ångrade köp
order-platform-agrees = bekräftad av kursplattformen
order-platform-refused = nekad av kursplattformen
order-platform-waits = kursplattformen väntar på att personen registrerar sig
order-platform-not-yet = inte bekräftad av kursplattformen än
order-access-ended = avslutad { $date }:

## Money, mails and documents

order-money-back = Pengar tillbaka
order-refund-to-pay = Betala tillbaka beloppet via din bank och rapportera sedan vad som hände.
order-refund-arrived = Pengarna har kommit fram
order-refund-back = Pengarna kom tillbaka
order-dispute = { $amount } bestritt hos banken
order-payment = Betalning
order-transfer = Banköverföring
order-transfer-reference = Betalningsreferens
order-transfer-due = Förfaller
order-transfer-open = Återstår att betala
order-payment-book = Bokför en betalning …
order-payment-text = Bokför det som din bank visar. När hela { $amount } har kommit in öppnas kurserna, och köparen får sitt kvitto.
order-payment-day = Dag hos banken
order-payment-reference = Referens hos banken
order-payment-submit = Bokför betalningen
order-payment-is-back = återbetald
order-payment-return-text = Betala först tillbaka { $amount } via din bank. Beloppet räknas inte längre efter det.
order-payment-return = Det har betalats tillbaka
order-payment-end = Avsluta beställningen …
order-payment-end-text = Inga pengar har kommit in för den. Dess kupong och platser blir lediga för andra. En överföring som ändå kommer godtas, och du får en varning.
order-payment-end-submit = Avsluta beställningen
order-document-report = Rapportera vad det blev …
order-document-text = Rapportera vad det andra systemet säger.
order-document-number = Nummer
order-document-day = Dag på dokumentet
order-document-total = Summa
order-document-authority = Myndighetens system
order-document-qr = QR-kodens innehåll
order-document-issued = Det är utfärdat
order-document-refused = Det avvisades
order-document-cancel = { $number } makulerades …
order-document-cancel-text = Bara om det makulerades där det hade utfärdats. Beställningen saknar sedan dokumentet tills det begärs på nytt.
order-document-cancelled = Det makulerades
order-document-anew = Begär på nytt
order-invoice-on-account = Mot faktura: fakturan utfärdades före betalningen.
order-invoice-overdue = Förfallen
order-invoice-cancel = Kreditera fakturan …
order-invoice-cancel-text = Inga pengar har kommit in för den. En kreditfaktura häver fakturan, och tillgången upphör. Betala tillbaka en överföring som ändå kommer.
order-invoice-cancel-submit = Kreditera den här fakturan
order-reverse-charge-applied = Omvänd betalningsskyldighet: VIES har bekräftat momsnumret, med konsultationsnumret { $number }.
order-reverse-charge-invalid = Skatten togs ut: VIES känner inte till momsnumret.
order-reverse-charge-unavailable = Skatten togs ut: VIES svarade inte om momsnumret är giltigt.
order-provider = Betaltjänst
order-reference = Referens
order-at-bank-since = Behandlas av banken sedan
order-disputed = Bestridd
order-mails = Mejl och dokument
order-mail = { $mail } till { $email }
order-mail-failed = misslyckat
order-mail-waits = väntar
order-mail-sent = skickat
order-mail-deferred = fördröjt av servern
order-mail-delivered = levererat
order-mail-again = Skicka igen
order-no-mails = Inget väntar. Skickade mejl finns i historiken.
order-receipt-again = Skicka kvittot igen till { $email }
order-invoice-again = Skicka fakturan igen till { $email }
order-invoice-correct = Rätta fakturan …
order-invoice-asked = Ekonomi har fått en begäran om rättad faktura
order-invite-again = Skicka inbjudan igen till { $email }
order-correct-address = Rätta adressen …
order-correct-address-text = För en gäst som har skrivit fel. Det som väntar på { $email } flyttas till den nya adressen, som bjuds in att registrera sig om den inte har något konto. Fakturan förblir som den är.
order-right-address = Rätt adress
order-correct-address-submit = Flytta beställningen till den här adressen

## The history: each entry is a sentence, and who did it

order-history = Historik
order-by = av { $name }
timeline-by-system = systemet
timeline-by-client = butiken
timeline-by-guest = köparen, som gäst
timeline-by-learner = köparen, inloggad
timeline-by-provider = betaltjänsten
timeline-by-staff = personalen (konto { $id })
timeline-by-operator = { $name } (drift)
timeline-by-key = organisationens nyckel { $id }

timeline-cart-open = Varukorgen påbörjades.
timeline-cart-placed = Beställningen lades.
timeline-cart-pending-payment = Beställningen lades och väntar på betalning.
timeline-cart-held = Beställningen lades; kurserna öppnas när adressen har registrerats.
timeline-cart-paid = Beställningen är betald.
timeline-cart-fulfilled = Beställningen är klar: tillträde gavs.
timeline-cart-cancelled = Beställningen avbröts.
timeline-cart-expired = Beställningen gick ut obetald.
timeline-cart-refunded = Beställningen är avslutad: alla pengar har gått tillbaka.
timeline-cart-invoice-corrected = Köparen på fakturan rättades.
timeline-cart-document-issued = Ett dokument rapporterades som utfärdat.
timeline-cart-document-refused = Ett dokument avvisades.
timeline-cart-document-cancelled = Ett dokument makulerades där det hade utfärdats.
timeline-cart-document-replaced = Ett nekat eller makulerat dokument begärdes på nytt.
timeline-cart-invoice-asked = Ekonomi fick en begäran om rättad faktura.
timeline-cart-invoice-refused = Ekonomi nekade den rättade fakturan.
timeline-cart-invoice-paid = Fakturan har betalats.
timeline-cart-restored = Åtkomsten återställdes.
timeline-cart-access-blocked = Tillträdet väntar på en person.
timeline-cart-access-restored = Det tillträde som beställningen bygger på är tillbaka, så tillträde gavs.
timeline-cart-mail-sent = Mejlet ”{ $mail }” skickades.
timeline-cart-mail-again = Mejlet ”{ $mail }” skickades igen.
timeline-cart-move-asked = En flytt från { $from } till { $to } begärdes.
timeline-cart-move-withdrawn = Flytten till { $to } togs tillbaka.
timeline-cart-moved = Tillgången gick från { $from } till { $to }.
timeline-cart-moved-to-person = Tillgången till { $to } gick till en annan person.
timeline-cart-address-corrected = Köparens adress rättades.
timeline-alert-closed = Varningen stängdes: { $alert }.
timeline-transaction-created = Betalningen förbereddes.
timeline-transaction-processing = Betalningen påbörjades hos betaltjänsten.
timeline-transaction-succeeded = Betalningen kom in.
timeline-transaction-failed = Betalningen misslyckades.
timeline-transaction-cancelled = Betalningen avbröts.
timeline-transaction-superseded = Ett annat försök ersatte betalningen.
timeline-transaction-refunded = Hela betalningen återbetalades.
timeline-transaction-partly-refunded = Av betalningen är nu { $refunded } återbetalt.
timeline-transaction-lost = Av betalningen har banken tagit tillbaka { $lost }.
timeline-transaction-held = En tvist håller { $lost } av betalningen.
timeline-transaction-refunded-and-lost = Av betalningen är { $refunded } återbetalt, och banken har tagit tillbaka { $lost }.
timeline-transaction-nothing-back = Inget av betalningen är längre återbetalt eller taget tillbaka.
timeline-transaction-charged = Leverantören drog ett annat belopp än beställningens.
timeline-transaction-received = { $amount } kom in på banken.
timeline-transaction-returned = { $amount } betalades tillbaka via banken.
timeline-transaction-event-applied = Ett meddelande som motsade uppgifterna tillämpades.
timeline-refund-asked = En återbetalning begärdes.
timeline-refund-accepted = Betaltjänsten godkände återbetalningen.
timeline-refund-succeeded = Återbetalningen är klar.
timeline-refund-failed = Återbetalningen misslyckades.
timeline-withdrawal-objected = Den som har beställningens adress meddelade att ångern inte kommer därifrån.
timeline-withdrawal-received = Köpet ångrades.
timeline-withdrawal-unmatched = Köpet ångrades från en annan adress.
timeline-withdrawal-accepted = Ångern godtogs.
timeline-withdrawal-refused = Ångern nekades.
timeline-the-course = Kursen
timeline-enrollment-enrolled = { $course }: tillgång gavs.
timeline-enrollment-pending-registration = { $course }: väntar på att adressen registreras.
timeline-enrollment-removed = { $course }: tillgången avslutades.
timeline-enrollment-synced = { $course }: kursplattformen bekräftade.
timeline-enrollment-refused = { $course }: kursplattformen nekade.
timeline-enrollment-retried = { $course }: ett nytt försök att skriva in görs.
timeline-notification = Betaltjänsten rapporterade { $what }.
timeline-dispute-open = Köparens bank öppnade en tvist, som nu är öppen.
timeline-dispute-won = Köparens bank öppnade en tvist, som nu är vunnen.
timeline-dispute-lost = Köparens bank öppnade en tvist, som nu är förlorad.
timeline-became = { $what }: { $from } blev { $to }.
timeline-other = { $what }: { $to }.

### A withdrawal of an order: on the order's page, and on a page of its own

decide-declared = meddelad { $date } av { $email }
decide-no-proof = utan bevis
decide-lines = { PLURAL($n) ->
    [one] { $n } rad
   *[other] { $n } rader
}
decide-no-line = ingen rad
decide-decided = avgjord { $date }
decide-waits = väntar på ett beslut:
decide-judged = prövas automatiskt, nästa gång { $date }
decide-objected = Den som har beställningens adress meddelade { $date } att ångern inte kommer därifrån.
decide-accept = Godta …
decide-accept-text = Allt som återstår av de ångrade raderna går tillbaka till köparen, och tillgången till dem avslutas. Köparen får ett mejl.
decide-reason-optional = Motivering, som köparen ser; får lämnas tom
decide-accept-submit = Betala tillbaka allt som återstår och avsluta tillgången
decide-part = Betala tillbaka en del …
decide-part-text = För en tjänst som hade påbörjats: det här beloppet går tillbaka till köparen, och tillgången till de ångrade raderna avslutas. Köparen får ett mejl.
decide-part-submit = Betala tillbaka beloppet och avsluta tillgången
decide-refuse = Neka …
decide-refuse-text = Inget betalas tillbaka och tillgången är kvar. Köparen får ett mejl med din motivering och kan ångra raderna igen.
decide-refuse-submit = Neka ångern
decide-close = Stäng …
decide-close-text = Inget mejl skickas: den som har ångrat kan vara en främling. Om du har hittat beställningen som avses återbetalar du den där först.
decide-close-submit = Stäng ångerärendet

## The page of its own

withdrawal-title = Ångerärende från { $name }
withdrawal-heading = Ångerärende
withdrawal-declared-what = Vad som meddelades
withdrawal-order-named = Beställning, som den angavs
withdrawal-name = Namn
withdrawal-declared = Meddelad
withdrawal-decision = Beslut

### Before a refund: { $provider } is the payment provider, such as Stripe

refund-title = Återbetala?
refund-heading = Återbetala den här beställningen?
refund-order = Beställning från { $email }, { $total }, varav { $refunded } har återbetalats tidigare.
refund-amount = { $amount } går tillbaka till köparen via { $provider }.
refund-all = Allt som återstår av { $total } går tillbaka till köparen via { $provider }.
refund-lines = Allt som återstår av de förkryssade raderna, { $amount }, går tillbaka till köparen via { $provider }.
refund-lines-with-tax = Allt som återstår av de förkryssade raderna, { $amount } med eventuell skatt som togs ut därutöver, går tillbaka till köparen via { $provider }.
refund-access-stays = All tillgång är kvar.
refund-access-ends = Tillgången till { $item } avslutas när betaltjänsten har godkänt återbetalningen, om inte deltagaren redan har fått ett intyg.
refund-own = Din organisation betalar pengarna via sin bank och rapporterar sedan här att de har kommit fram.
refund-access-ends-now = Åtkomsten till { $item } upphör genast, om inte deltagaren redan har fått ett intyg.
refund-mail = { $email } får ett mejl om återbetalningen.
refund-no-mail = Köparen får inget mejl härifrån, eftersom en annan butik sålde beställningen.
refund-mail-with-credit-note = { $email } får ett mejl om återbetalningen med en kreditfaktura.
refund-needs-amount = Goodwill kräver ett belopp. Gå tillbaka och ange ett.
refund-reason = Skäl, som även köparen ser
refund-despite-dispute = Återbetala trots att banken har en öppen tvist och kan ge köparen samma pengar tillbaka
refund-taken = Tvister har tagit { $lost }, som inte kan återbetalas.
refund-back = Tillbaka, återbetala inget
refund-submit-all = Återbetala allt som återstår och avsluta tillgången
refund-submit = Återbetala { $amount } och avsluta tillgången
refund-submit-keep = Återbetala { $amount }

### A correction of the buyer on an invoice

invoice-title = Rätta fakturan
invoice-buyer = Köparen på fakturan
invoice-asked = Kundtjänst bad om den här köparen { $date }. Då går momsen tillbaka till köparen.
invoice-happens = En kreditfaktura tar tillbaka fakturan, och en ny anger den här köparen.
invoice-mail = { $email } får den nya fakturan via mejl.
invoice-tax = Är det ett företag i ett annat EU-land och bekräftar VIES momsnumret, betalas momsen tillbaka.
invoice-tax-asked = Är det ett företag i ett annat EU-land och bekräftar VIES momsnumret, ska momsen betalas tillbaka: då tillfrågas ekonomi, som rättar fakturan.
invoice-back = Tillbaka, rätta inget
invoice-submit = Rätta fakturan och skicka den
invoice-refuse = Neka kundtjänsts begäran
buyer-company = Företag
buyer-tax-id = Momsnummer
buyer-name = Namn
buyer-line1 = Gata
buyer-line2 = Adresstillägg
buyer-postal-code = Postnummer
buyer-city = Ort
buyer-state = Delstat
buyer-country = Land, två bokstäver

### Before a move: { $name } is the course of the line

move-title = Flytta?
move-heading = Flytta den här raden?
move-line-number = rad { $position }
runs-heading = Vart flyttas { $name }?
runs-line = { $name }, { $mode }, köpt för { $price }.
runs-choose = Flytta till { $name } …
runs-same-course = annat kurstillfälle
runs-none = Ingen annan kurs säljs i den här formen, eller så har köparen den redan.
runs-person = Eller till en annan person
move-is-moving = Den håller på att flyttas till { $course }.
move-is-moving-to-person = Den håller på att flyttas till { $course }, till en annan person.
move-was-moved = Den har flyttats till { $course }.
move-was-moved-to-person = Den har flyttats till { $course }, till en annan person.
move-access-now = De som har tillgång genom den här beställningen nu:
move-to-course = Raden ger i stället tillgång till { $course }.
move-other-price = Den kostar { $price }, och raden { $paid }: kryssa i nedan att inget debiteras eller återbetalas.
move-to-person = Raden ger sin tillgång till { $email }, som bjuds in att registrera sig om det inte finns något konto med adressen.
move-old-access = Den nuvarande tillgången är kvar tills kursplattformen har bekräftat den nya, och avslutas sedan. Om plattformen nekar är den kvar, och det syns i listan ”Att hantera”.
move-earlier = En tidigare flytt av raden som plattformen har nekat, eller vars adress inte har registrerats, tas tillbaka.
move-money = Inga pengar rör sig. Fakturan förblir som den är; en senare återbetalning av raden avslutar den nya tillgången.
move-certificate = Om den som har tillgång nu redan har fått ett intyg händer inget.
move-mail = { $email } får ett mejl när flytten är klar.
move-reason = Skäl, för loggen
move-waive = Flytta även om priset skiljer sig; inget debiteras eller återbetalas
move-back = Tillbaka, flytta inget
move-submit = Flytta { $name } till { $to }

### A person: an address with its orders, courses and seats

person-download = Ladda ner det som { $organisation } har om den här personen
person-download-help = Som JSON, till en person som begär det.
person-no-orders = Inga beställningar från den här adressen hos { $organisation }. Personen kan ha köpt med en annan: sök efter namnet på fakturan.
person-no-courses = Ingen kurs från { $organisation } har öppnats för den här adressen.
person-seats = Platser som adressen hanterar eller har
person-seats-taken = { $used } av { $seats } tagna
person-seats-bought = köpta { $date }

### Payouts

payouts-title = Utbetalningar
payouts-text = Vad betaltjänsten har betalat ut till er bank, och vad varje utbetalning består av. Det hämtas varje timme.
payouts-refused = { $gateway } visar inga utbetalningar för nyckeln till ert konto. Kontakta den som driver tjänsten.
payouts-unread = Utbetalningarna från { $gateway } har inte hämtats ännu.
payouts-made = Skapad
payouts-bank = Hos banken
payouts-payments = Betalningar
payouts-refunds = Återbetalningar
payouts-disputes = Tvister
payouts-fees = Avgifter
payouts-rest = Övrigt
payouts-difference = differens
payouts-not-read = Innehållet har inte hämtats ännu.
payouts-not-itemised = Betaltjänsten anger inte vad den består av.
payouts-none = Ingen utbetalning gjordes under den här tiden. Välj en annan.
payouts-csv = Ladda ner utbetalningarna som CSV
payouts-xlsx = Utbetalningar som XLSX
payouts-movements = Poster i utbetalningar
payouts-movements-csv = Poster som CSV
payouts-movements-xlsx = Poster som XLSX
payout-status-pending = väntar
payout-status-paid = utbetald
payout-status-failed = misslyckad

### The month that finance closes

# A link at the top of each page, and the page on which finance closes a month
month-title = Månadsbokslut
month-month = Månad
month-text = Pengar räknas den dag som banken eller betaltjänsten anger.
month-closed = stängd
month-closed-by = Stängd { $date } av { $name }.
month-closed-with = Den stängdes tillsammans med { $month }.
month-open = Månaden är slut och inte stängd än.
month-not-over = Månaden kan stängas efter { $day }.
month-provider = Betaltjänst
# In place of a provider: transfers that you take yourself
month-own-account = ert eget konto
# Headings: money that is with the provider before and after the month
month-opening = Hos betaltjänsten före
month-paid-out = Utbetalat
month-closing = Kvar hos betaltjänsten
month-no-opening = Vad som fanns hos betaltjänsten före är inte känt, eftersom ingen månad inom ett år före är stängd.
month-adds-up = Det går ihop: vad som fanns före och allt som har rört sig är vad som finns kvar, och utbetalningarna stämmer.
month-gaps = Det här går inte ihop:
# Behind an amount: why it does not add up
month-gap-other = poster i en utbetalning som böckerna inte känner till
month-gap-unknown-payment = betalningar i en utbetalning som inte är beställningar här
month-gap-other-currency = betalt i en valuta och utbetalt i en annan
month-gap-difference = differens mellan en utbetalning och dess poster
month-gap-unread = en utbetalning vars poster inte hämtades under den här månaden, så att dess avgifter saknas
month-gap-closed = differens mot saldot som månaden stängdes med
# Above amounts
month-unpaid = Obetalt nu
month-pending = Under behandling nu
month-documents = Dokument som saknas
month-documents-text = Betalda beställningar utan faktura och återbetalningar utan kreditfaktura. De flesta skapas inom några minuter; kontakta den som driver tjänsten om något blir kvar här.
month-no-documents = Inget dokument saknas.
month-late = Sena pengar
month-late-text = Pengar som räknas till den här månaden, eftersom deras egen månad var stängd när de bokfördes.
month-no-late = Inget kom sent.
# Below an amount: of how many it is the sum
month-number = Antal: { $n }
month-close-text = När den är stängd förblir månaden som den är, med alla månader före: det som bokförs senare räknas till en öppen månad. Det går inte att ångra.
# A button
month-close = Stäng { $month }

### Reports

reports-title = Rapporter
reports-from = Från
reports-to = Till och med
reports-by = Dag som räknas
reports-by-booked = bokföringens
reports-by-received = bankens eller betaltjänstens
reports-show = Visa
reports-zone = Dagar i tidszonen { $zone }.
# Before tags with what the page shows
reports-only = Bara:
reports-all = Visa alla rörelser
reports-totals = Transaktioner och skatter
reports-movement = Transaktion
reports-taxed-in = Beskattad i
reports-rate = Sats
reports-number = Antal
reports-net = Netto
reports-none = Inga pengar rörde sig under den här tiden. Välj en annan: betalningar räknas den dag då betaltjänsten rapporterade dem.
reports-ledger = Journal
reports-ledger-first = Journal: de första { $n } transaktionerna
reports-booked = Bokförd
reports-received = Pengarna flyttade
reports-document = Dokument
reports-download-csv = Ladda ner journalen som CSV
reports-download-json = Som JSON
reports-download-xlsx = Journalen som XLSX
reports-taxes = Skatter
reports-taxes-text = Fakturor minus kreditfakturor, efter den dag som de visar.
reports-taxes-chargeback = En återdebitering tar tillbaka pengar utan att någon kreditfaktura följer: momsen här är högre än i rörelserna ovan med momsen på återdebiteringarna.
reports-country = Land
reports-state = Delstat
reports-category = Kategori
reports-documents = Dokument
reports-taxes-csv = Ladda ner skatterna som CSV
reports-taxes-json = Skatter som JSON
reports-taxes-days = Skatter per dag
reports-taxes-days-xlsx = Skatter per dag som XLSX
reports-taxes-payments-xlsx = Skatter per betalningsdag som XLSX
reports-taxes-oss = One Stop Shop
reports-taxes-oss-xlsx = One Stop Shop som XLSX
reports-taxes-xlsx = Skatter som XLSX
reports-taxes-none = Ingen faktura eller kreditfaktura har utfärdats under den här tiden. En organisation utan uppgifter om säljaren utfärdar inga.

reports-sum = Summa
column-seq = Nummer
column-at = Tidpunkt
column-day = Bokförd
column-kind = Transaktion
column-cart_id = Beställning
column-transaction_id = Betalning
column-refund_id = Återbetalning
column-amount = Belopp
column-tax = Skatt
column-currency = Valuta
column-gateway = Betaltjänst
column-provider_reference = Betaltjänstens referens
column-region = Köparens land
column-list_price = Listpris
column-discounts = Rabatter
column-voucher_discount = Rabattkodens rabatt
column-voucher = Rabattkod
column-campaign = Kampanj
column-document_number = Dokument
column-tax_country = Beskattad i
column-tax_state = Skattens delstat
column-tax_rate = Skattesats (%)
column-language = Språk
column-reference = Köparens referens
column-metadata = Metadata
column-bank_day = Bankens dag
column-bank_reference = Bankens referens
column-tax_id = Momsnummer
column-reverse_charge = Omvänd betalningsskyldighet
column-country = Land
column-state = Delstat
column-rate = Sats (%)
column-category = Kategori
column-net = Netto
column-count = Dokument
column-payout = Utbetalning
column-status = Status
column-made_on = Skapad
column-payments = Betalningar
column-refunds = Återbetalningar
column-disputes = Tvister
column-fees = Avgifter
column-returned = Utbetalningar som kom tillbaka
column-other = Övrigt
column-rounding = Avrundning
column-difference = Differens
column-fee_tax = Skatt i avgifterna
column-movements = Poster
column-itemised = Specificerad
column-movement = Betaltjänstens post
column-provider_kind = Betaltjänstens benämning
column-gross = Utan avgift
column-fee = Avgift
column-balance = Annat saldo
column-date = Dag
column-buyer = Köpare
column-quarter = Kvartal
column-number = Antal
tax-category-s = normal
tax-category-z = nollskattesats
tax-category-e = undantagen
tax-category-ae = omvänd betalningsskyldighet
tax-category-o = utan skatt

### Vouchers

vouchers-title = Rabattkoder
vouchers-whole-seat = en hel plats
vouchers-none-found = Ingen rabattkod stämmer med koden och kampanjen. Lämna ett fält tomt för att se fler.
vouchers-none = { $organisation } har inga rabattkoder än. Skapa den första nedan.
vouchers-new = Skapa rabattkoder
vouchers-code-help = 3 till 40 bokstäver, siffror, - och _. Tomt: koder skapas automatiskt.
vouchers-count = Antal koder
vouchers-count-help = Fler än en bara utan egen kod.
vouchers-percentage = en procentsats
vouchers-amount = ett belopp
vouchers-how-much = Hur mycket
vouchers-courses-help = Ett kurs-id per rad, till exempel course-v1:Northwind+ENG101+2026. Tomt: allt som { $organisation } säljer.
vouchers-new-submit = Skapa rabattkoderna

## One voucher

voucher-used = Använd
voucher-not-used = Inte använd än.
voucher-terms = Villkor
voucher-for = Gäller
voucher-courses = { PLURAL($n) ->
    [one] { $n } kurs
   *[other] { $n } kurser
}
voucher-programs = { PLURAL($n) ->
    [one] { $n } program
   *[other] { $n } program
}
voucher-everything = allt
voucher-change-text = Vad den drar av, och från vad, förblir som det har utlovats.
voucher-budget-in = Budget i { $currency }
voucher-until-help = Tomt: tills vidare.
voucher-end-text = När den är avslutad drar den inte av något från nya beställningar. Det som har köpts med den förblir som det är.
voucher-end = Avsluta { $code } nu

## Its chart by day: { $up } uses of paid orders, { $down } that were given back; { $most } is the largest number of a day

voucher-chart = Senaste 30 dagarna: använda { $up }, återlämnade { $down }; högst { $most } på en dag
voucher-chart-day = { $day }: använda { $up }, återlämnade { $down }
voucher-chart-up = Använda: { $n }
voucher-chart-down = Återlämnade: { $n }

## The codes of vouchers, to be taken along

codes-title = Koder
codes-heading = { PLURAL($n) ->
    [one] { $n } kod
   *[other] { $n } koder
}
codes-of-campaign = { PLURAL($n) ->
    [one] { $n } kod i { $campaign }
   *[other] { $n } koder i { $campaign }
}
codes-csv = Ladda ner som CSV
codes-copy = Att kopiera
codes-back = Tillbaka till rabattkoderna
codes-take = Ta med koderna i den här kampanjen

### Seats: places in a course that somebody has bought for others

seats-title = Platser
seats-pools = Platspaket
seats-item = Kurs eller program
seats-bought = Köpta
seats-taken = Tagna
seats-none = { $organisation } har inte sålt några platser än. Den som köper flera platser i en kurs får ett platspaket och delar ut dem till andra.

## One pool of seats

pool-taken = Tagna platser: { $used } av { $seats }
pool-left = { $n } kvar
pool-code = kod
pool-order = beställningen som de betalades med
pool-batch = Adresserna som du skickade
pool-holders = Vem som har en plats
pool-no-holders = Ingen adress har någon plats än. Ange adresser, eller lämna koden vidare.
pool-mail-failed = Mejlet kom inte fram:
pool-take-back = Ta tillbaka platsen …
pool-take-back-pending = Platsen blir ledig igen och inbjudan slutar gälla.
pool-take-back-enrolled = { $email } förlorar tillgången till { $item }. Platsen förblir förbrukad.
pool-take-back-submit = Ta tillbaka platsen från { $email }
pool-give = Dela ut platser till adresser
pool-give-help = En per rad, högst 500. Den som har ett konto skrivs in och får besked via mejl; alla andra adresser får en inbjudan.
pool-give-submit = Dela ut platserna
pool-remind = Påminn
pool-remind-text = Mejlar de 100 adresser som har väntat längst på att registreras; var och en högst en gång om dagen.
pool-remind-submit = Påminn dem som inte har registrerat sig

### Batches of enrollments

batches-title = Massinskrivning
batches-heading = Massinskrivningar
batches-submitted = Inskickad
batches-failed = Misslyckade
batches-none = Personalen hos { $organisation } har inte skickat in någon massinskrivning de senaste 90 dagarna.
batches-new = Skriv in många adresser, eller avsluta deras inskrivning
batches-file = CSV-fil
batches-file-help = En kolumn email och, där raderna skiljer sig åt, course_id, mode, action och language. Högst 5 000 rader.
batches-paste = Eller klistra in raderna
batches-course = Kurs för rader utan kurs
batches-mode = Variant för rader utan variant
batches-show = Visa raderna
batches-nothing-yet = Inget görs än.

## Before a batch is submitted

rows-title = Skicka in?
rows-heading = { PLURAL($n) ->
    [one] Skicka in { $n } rad?
   *[other] Skicka in { $n } rader?
}
rows-good = { PLURAL($n) ->
    [one] { $n } rad behandlas, en i taget. En adress som skrivs in och inte har något konto får en inbjudan.
   *[other] { $n } rader behandlas, en i taget. En adress som skrivs in och inte har något konto får en inbjudan.
}
rows-faulty = { PLURAL($n) ->
    [one] { $n } rad kan inte utföras, av skälen nedan. Bara den misslyckas; rätta den i filen eller låt den vara.
   *[other] { $n } rader kan inte utföras, av skälen nedan. Bara de misslyckas; rätta dem i filen eller låt dem vara.
}
rows-back = Tillbaka, skicka inte in något
rows-submit = { PLURAL($n) ->
    [one] Skicka in { $n } rad
   *[other] Skicka in { $n } rader
}
rows-some = Rader: { $shown } av { $total }, felen först
rows-fault = Fel

## One batch

batch-title = Massinskrivning
batch-all-rows = Alla rader
batch-failed-rows = Misslyckade rader
batch-download-failed = Ladda ner de misslyckade raderna
batch-download-all = Ladda ner alla rader
batch-result = Resultat
batch-none-failed = Ingen rad har misslyckats.
batch-no-rows = Inga rader på den här sidan.

### The catalog: what the shop sells

catalog-title = Katalog
catalog-filter = Namn eller kurs-id
catalog-intro = Ändringar syns i butiken inom några sekunder. Beställningar som redan är lagda behåller sitt pris. En synkronisering med kursplattformen behåller det som är inställt här; en import kan ersätta det.
catalog-not-published = inte publicerad
catalog-in-no-list = olistad
catalog-on-sale = till salu
catalog-no-mode-on-sale = ingen variant till salu
catalog-starts = börjar { $date }
catalog-publish = Publicerad: butiken visar och säljer den
catalog-hide = Olistad: bara den som har länken hittar den
catalog-sell = Till salu
catalog-save = Spara vad butiken visar
catalog-until = till { $date }
catalog-from = från { $date }
catalog-price = Pris i { $currency }
catalog-save-mode = Spara { $mode }
catalog-dated = Tidsbegränsade priser
catalog-dated-text = Det lägsta pris som gäller tas ut. Ange ett pris eller en procentsats. En tom tid är ingen gräns.
catalog-dated-name = Namn, till exempel Boka tidigt
catalog-dated-percent = Eller rabatt i procent
catalog-dated-add = Lägg till det tidsbegränsade priset
catalog-waiting-list = Väntelista
catalog-waiting = Väntar: { $waiting }; erbjudna en plats: { $offered }; köpta: { $bought }; förfallna eller avböjda: { $lapsed }.
catalog-first-email = E-postadress som ska stå på tur
catalog-first = Sätt först
catalog-dated-remove = Ta bort { $name }
catalog-no-mode = Kursen har ingen variant, så inget av den säljs. Varianter kommer från kursplattformen eller en import.
catalog-none-found = Ingen kurs från { $organisation } har det här i sitt namn eller kurs-id.
catalog-none = { $organisation } har inga kurser än. De kommer från kursplattformen eller en import, som en driftansvarig ställer in.

### Events, and the endpoints (addresses of other programs) that receive them

events-title = Händelser
events-disabled = inaktiverad
events-failing = misslyckas
events-enabled = aktiv
events-gets = Får { $types }.
events-waiting = { PLURAL($n) ->
    [one] { $n } händelse väntar.
   *[other] { $n } händelser väntar.
}
events-failing-since = Ingen leverans har lyckats sedan { $date }.
events-disabled-on = Inaktiverad { $date }:
events-enable-text = Se först till att mottagaren fungerar. När slutpunkten aktiveras får den allt som den har missat.
events-enable = Aktivera
events-change = Ändra typer eller signeringsnyckel, eller ta bort slutpunkten
events-types = Händelser som den får
events-save-types = Spara typerna
events-secret-text = En ny signeringsnyckel visas en gång, på nästa sida. Under ett dygn signerar även den nuvarande.
events-secret = Skapa en ny signeringsnyckel
events-remove-text = { PLURAL($n) ->
    [one] När den är borttagen får den inga fler händelser, och { $n } väntande händelse levereras inte. Flödet behåller alla.
   *[other] När den är borttagen får den inga fler händelser, och { $n } väntande händelser levereras inte. Flödet behåller alla.
}
events-remove = Ta bort { $url }
events-deliveries = Leveranser till { $url }
events-event = Händelse
events-happened = Tidpunkt
events-attempts = Försök
events-last-answer = Senaste svar
events-next = nästa försök { $date }
events-failed = { PLURAL($n) ->
    [one] Det senaste försöket för { $n } händelse misslyckades.
   *[other] De senaste försöken för { $n } händelser misslyckades.
}
events-send-failed = Skicka alla igen
events-send-again = Skicka igen
events-send-this-again = Skicka { $type } från { $date } igen
events-none-yet = Ingen händelse har gällt den här slutpunkten än.
events-none = { $organisation } har ingen slutpunkt för händelser. Era tekniker uppger en adress; händelser kan också läsas från flödet.
events-new = Skicka händelser till en adress
events-new-text = Nästa sida visar nyckeln som signerar händelserna, en enda gång.
events-new-submit = Skicka händelser dit

## The page that shows a secret once

secret-title = Signeringsnyckel
secret-heading = Nyckeln som signerar händelserna
secret-text = Ge den till mottagarens tekniker nu, på ett säkert sätt: den kan inte visas igen. Om den går förlorad skapar du en ny. Nyckeln som mottagaren har nu signerar också i ett dygn till.
secret-back = Tillbaka till händelserna

### The staff

staff-title = Personal
staff-heading = Personal hos { $organisation }
staff-person = Person
staff-roles = Roller
staff-since = Sedan
staff-remove = Ta bort
staff-remove-person = Ta bort { $email } från personalen
staff-add = Lägg till en person, eller ändra rollerna
staff-email = E-postadressen för personens konto
staff-support = Kundtjänst: mejl, adresser, inskrivningar, varningar
staff-finance = Ekonomi: återbetalningar, ångrade köp, rapporter
staff-manager = Administratör: rabattkoder, platser, massinskrivning, personal
staff-only-managers = En administratör i din organisation ändrar den här listan.

### What the last form did: one line at the top of the next page

done-receipt = Meddelandet är på väg.
done-address = Adressen har rättats, och det som väntade på den har flyttats. Den nya adressen får sina mejl av sig självt: kvittot och, utan konto, inbjudan.
done-alert = Varningen är stängd.
done-invoice = Fakturan har rättats. Den nya är på väg till köparen.
done-invoice-asked = Ekonomi är tillfrågad. Fakturan förblir som den är tills dess.
done-invoice-refused = Begäran är nekad. Fakturan förblir som den är.
done-invitation = Inbjudan är på väg.
done-refund = Återbetalningen är på gång. Dess status står nedan.
done-payment = Betalningen är bokförd.
done-refund-arrived = Återbetalningen har kommit fram.
done-refund-back = Återbetalningen kom tillbaka. Pengarna räknas som era igen.
done-payment-returned = Betalningen räknas inte längre.
done-payment-cancelled = Beställningen är avslutad.
done-document = Rapporten är antecknad.
done-move = Flytten är på gång. Den gamla tillgången avslutas när kursplattformen har bekräftat den nya.
done-mails = Mejlet är på väg.
done-enrollments = Kursplattformen tillfrågas igen.
done-withdrawal = Ångerärendet är avgjort.
done-dead-letters = Meddelandet är hanterat. Om det misslyckas igen kommer det tillbaka till den här listan.
done-staff = Personalen har ändrats.
done-vouchers = { PLURAL($n) ->
    [one] { $n } rabattkod är klar.
   *[other] { $n } rabattkoder är klara.
}
done-voucher = Rabattkoden har ändrats.
done-assigned = Adresserna är sparade och får sina platser en i taget.
done-freed = Platsen är ledig igen.
done-revoked = Tillgången är avslutad. Platsen förblir förbrukad.
done-no-seat = Adressen hade ingen plats längre. Inget gjordes.
done-reminded = De som inte har registrerat sig, och inte har fått något mejl det senaste dygnet, blir påminda.
done-none-reminded = Ingen adress blev påmind: alla har registrerats eller fått ett mejl det senaste dygnet.
done-batch = Raderna är sparade och behandlas en i taget.
done-catalog = Kursen är ändrad. Butiken visar det inom några sekunder.
done-endpoints = Slutpunkten är aktiverad. Den får händelserna som den har missat.
done-endpoint-changed = Slutpunkten är ändrad. Om du inte har sett dess signeringsnyckel skapar du en ny.
done-deliveries = Händelsen är på väg igen.
done-deliveries-failed = Alla händelser som hade misslyckats är på väg igen.
done-month = Månaden är stängd.

### What went wrong: a title, and the next step

problem-signed-out = Du är utloggad
problem-signed-out-text = Logga in i en annan flik i den här webbläsaren och kom sedan tillbaka hit. Inget har gjorts än.
problem-sign-in = Logga in
problem-not-allowed = Du får inte göra det här
problem-not-allowed-text = Be en administratör i din organisation om rollen, eller gå tillbaka.
problem-not-found = Hittades inte
problem-not-found-text = Kontrollera länken, eller sök igen.
problem-file = Det gick inte
problem-file-text = Inget gjordes. Gå tillbaka och skicka en mindre fil, som CSV.
problem-sent-before = Formuläret har redan skickats
problem-sent-before-text = Det skickades då med andra uppgifter. Titta först på vad det gjorde; om du skickar formuläret igen härifrån utförs det på nytt.
problem-invalid = Det gick inte
problem-invalid-text = Rätta det som nämns nedan och skicka igen, eller gå tillbaka.
problem-running = Åtgärden pågår redan
problem-running-text = Vänta en stund och titta sedan igen innan du upprepar något.
problem-contradiction = Det här motsäger det som är antecknat
problem-contradiction-text = Inget ändrades. Jämför med vad det andra systemet säger.
problem-no-answer = Inget svar än
problem-no-answer-text = Det kan fortfarande hända. Titta igen; inget görs två gånger om du skickar formuläret igen.
problem-too-many = För många förfrågningar
problem-too-many-text = Vänta en stund och skicka sedan igen.
problem-unavailable = Det går inte just nu
problem-unavailable-text = Inget gjordes. Försök igen om en stund; inget görs två gånger om du skickar formuläret igen.
problem-send-again = Skicka formuläret igen
problem-start = Till startsidan
problem-email = E-postadress

## Faults of a form: what is wrong with { $field }. { $fault } is English.

problem-fault = { $field }: { $fault }.
fault-order = Beställningen
fault-address = Adressen
fault-reason = Skälet
fault-amount = Beloppet
fault-reference = Referensen
fault-day = Dagen
fault-enrollment = Inskrivningen
fault-mail = Mejlet
fault-message = Meddelandet
fault-endpoint = Slutpunkten
fault-event = Händelsen
fault-line = Raden
fault-course = Kursen
fault-waive = Krysset för ett annat pris
fault-file = Filen

## Refusals as sentences. The key of each is what the programs say in English.

refusal-your-account-lacks-the-role-support = Ditt konto saknar rollen kundtjänst.
refusal-your-account-lacks-the-role-finance = Ditt konto saknar rollen ekonomi.
refusal-your-account-lacks-the-role-manager = Ditt konto saknar rollen administratör.
refusal-is-required-for-the-record = Krävs, för protokollet: { $field }.
refusal-is-not-an-email-address = Det är ingen e-postadress: { $field }.
refusal-is-not-a-number-such-as-12-50 = ”{ $field }” är inget tal, som 12,50.
refusal-is-not-clear-write-1000-for-a-thousand-and-1-00-for-one = ”{ $field }” är oklart: skriv 1000 för tusen och 1,00 för ett.
refusal-is-the-order-s-address-already = Beställningen har redan den här adressen.
refusal-was-bought-by-an-account-whose-owner-changes-the-address-at-the-course-platform = Ett konto har köpt den: ägaren ändrar adressen på kursplattformen.
refusal-waits-for-its-payment-or-has-ended-only-an-order-that-is-complete-can-be-corrected = Beställningen väntar på betalning eller har avslutats. Bara en fullständig kan rättas.
refusal-has-opened-a-course-under-this-address-already-or-was-upgraded-or-moved = En kurs har redan öppnats under adressen, eller så har beställningen uppgraderats eller flyttats.
refusal-has-the-same-order-already = Adressen har redan samma beställning.
refusal-is-not-a-course-of-the-organisation = Din organisation har ingen kurs med detta id.
refusal-is-not-on-sale-in-this-mode-or-the-buyer-has-it-already = Kursen säljs inte i den här formen, eller så har köparen den redan.
refusal-gives-no-access-that-can-be-moved = Raden ger ingen tillgång som kan flyttas.
refusal-is-what-the-line-gives-already = Raden ger redan detta.
refusal-leads-to-what-this-person-has-already = Personen har redan den här kursen.
refusal-is-sold-out = Kursen är slutsåld.
refusal-is-being-moved-the-course-platform-has-not-confirmed-it-yet = Raden håller på att flyttas: kursplattformen har inte bekräftat det än.
refusal-has-no-invoice = Beställningen har ingen faktura.
refusal-has-refunds-so-its-invoice-stays-as-it-is = Beställningen har återbetalningar, så fakturan förblir som den är.
refusal-was-corrected-three-times-already = Fakturan har redan rättats tre gånger.
refusal-changes-the-tax-refund-the-order-and-sell-it-again = Adressen ändrar momsen: återbetala beställningen och sälj den igen.
refusal-waits-for-no-other-invoice = Ekonomi är inte längre tillfrågad om beställningen.
refusal-has-no-receipt-it-is-not-paid-or-its-courses-are-not-open-yet = Det finns inget kvitto: beställningen är inte betald, eller så är kurserna inte öppnade än.
refusal-has-no-open-alert = Betalningen har ingen öppen varning längre.
refusal-is-the-last-manager-an-operator-can-change-that = Det är den sista administratören; en operatör kan ändra det.
refusal-is-not-over-yet = Månaden är inte slut än.
refusal-is-closed-already = Månaden är redan stängd.
refusal-is-not-a-month-such-as-2026-11 = ”{ $field }” är ingen månad, som 2026-11.
refusal-is-not-of-an-account-that-has-bought-or-enrolled-here-an-operator-can-add-it = Inget konto med den här adressen har köpt eller skrivits in här; en operatör kan lägga till det.
