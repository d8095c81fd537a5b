# German. Address the reader as Sie.

### Every page

## The frame of each page

console-title = Konsole
console-skip = Zum Inhalt springen
console-desk = Kundenservice
console-search = Suchen
console-search-for = Adresse, Name, Firma, Bestellung, Referenz, Kurs, Code
console-other-shop = Shop wechseln
console-sign-out = Abmelden
console-zone = Tage und Uhrzeiten sind die von { $zone }.

## Links below a long list

console-pages = Seiten
console-previous = Zurück
console-page = Seite { $n }
console-next = Weiter

## Moments and times: { $time } is a date with its time of day, such as 31.01.2030, 12:00

console-age-now = seit weniger als einer Minute
console-age-minutes = { PLURAL($n) ->
    [one] seit { $n } Minute
   *[other] seit { $n } Minuten
}
console-age-hours = { PLURAL($n) ->
    [one] seit { $n } Stunde
   *[other] seit { $n } Stunden
}
console-age-days = { PLURAL($n) ->
    [one] seit { $n } Tag
   *[other] seit { $n } Tagen
}
console-since = seit { $date }

## Words that are headings of columns, names of fields, or buttons

console-action = Aktion
console-address = Adresse
console-addresses = Adressen
console-amount = Betrag
console-budget = Budget
console-buyer = Käufer
console-campaign = Kampagne
console-change = Ändern
console-code = Code
console-course = Kurs
console-courses = Kurse
console-filter = Filtern
console-mode = Modus
console-note = Notiz
console-order = Bestellung
console-orders = Bestellungen
console-placed = Bestellt am
console-price = Preis
console-reason = Grund
console-refunded = Erstattet
console-row = Zeile
console-rows = Zeilen
console-save = Speichern
console-status = Status
console-tax = Steuer
console-total = Gesamtbetrag
console-url = URL
console-uses = Einlösungen
console-uses-in-all = Einlösungen insgesamt
console-uses-by-one = Einlösungen pro Käufer
console-takes-off = Nachlass
console-taken-off = Abgezogen
console-valid-from = Gültig ab
console-valid-until = Gültig bis
console-no-end = unbefristet
console-no-limit = unbegrenzt
console-ended = beendet
console-of = { $part } von { $whole }
console-last-30-days = Letzte 30 Tage

## What several pages say

console-will-happen = Das geschieht
console-on-record = Es wird unter Ihrem Namen protokolliert: { $name }.
console-show-first = Zeigen, was geschieht
console-ask-platform = Erneut bei der Kursplattform anfragen
console-look-again = Noch einmal nachsehen
console-progress = Fortschritt
console-done-of = { $done } von { $total } erledigt.
console-done-and-failed = { $done } von { $total } erledigt, { $failed } fehlgeschlagen.

### Stored words, each as a tag or in a column

## Status of an order


## Status of a person's access to a course

access-status-enrolled = angemeldet
access-status-pending-registration = wartet auf Registrierung
access-status-removed = beendet
access-status-refused = abgelehnt
access-status-cancelled = storniert
access-status-none = kein Zugang

## Status of a payment

payment-status-created = angelegt
payment-status-processing = in Bearbeitung
payment-status-succeeded = erfolgreich
payment-status-failed = fehlgeschlagen
payment-status-cancelled = abgebrochen
payment-status-superseded = ersetzt
payment-status-refunded = erstattet

## Status of a refund

refund-status-asked = angefordert
refund-status-accepted = angenommen
refund-status-succeeded = erfolgreich
refund-status-failed = fehlgeschlagen

## Status of a dispute at the buyer's bank

dispute-status-open = offen
dispute-status-won = gewonnen
dispute-status-lost = verloren

## Status of a withdrawal, which a buyer has declared

withdrawal-status-received = wartet
withdrawal-status-unmatched = passt zu keiner Bestellung
withdrawal-status-accepted = angenommen
withdrawal-status-refused = abgelehnt

## Status of a row of a batch, and of the batch

row-status-waiting = wartet
row-status-done = erledigt
row-status-failed = fehlgeschlagen
batch-status-running = läuft
batch-status-done = erledigt

## Status of a seat that an address has

seat-status-pending = wartet auf Registrierung
seat-status-enrolled = angemeldet
seat-status-ended = beendet

## Status of a voucher's use: given back if the order ended unpaid

use-status-held = wartet auf Zahlung
use-status-used = eingelöst
use-status-released = freigegeben
use-status-late = verspätet bezahlt

## Status of an event's delivery to an endpoint

delivery-status-waiting = wartet
delivery-status-delivered = zugestellt
delivery-status-given-up = aufgegeben

## What a row of a batch does

action-enroll = anmelden
action-unenroll = abmelden

## What a voucher takes off: a whole seat in a course, if it is the code of a pool of seats

voucher-kind-percent = Prozent
voucher-kind-amount = Betrag
voucher-kind-seat = Platz

## Movements of money, in reports

movement-captured = Zahlung
movement-refunded = Erstattung
movement-refund-failed = fehlgeschlagene Erstattung
movement-chargeback = Rückbuchung
movement-chargeback-reversed = aufgehobene Rückbuchung
movement-moved = Umbuchung
movement-fee = Gebühr
movement-payout = Auszahlung

## Documents

document-kind-invoice = Rechnung
document-kind-credit-note = Rechnungskorrektur
document-status-requested = angefordert
document-status-issued = ausgestellt
document-status-refused = abgelehnt
document-status-cancelled = storniert

## Mails to buyers and learners; also in sentences, as in The mail “receipt” was sent.

mail-kind-receipt = Beleg
mail-kind-invoice = Rechnung
mail-kind-invoice-cancelled = Rechnung storniert
mail-kind-invoice-corrected = korrigierte Rechnung
mail-kind-access-moved = Umzug
mail-kind-transfer-requested = Zahlungshinweise
mail-kind-document-again = Link zum Dokument
mail-kind-document-follows = nachgereichtes Dokument
mail-kind-refund-issued = Erstattung
mail-kind-registration-invitation = Einladung
mail-kind-seats-ready = Plätze
mail-kind-seat-assigned = Platz
mail-kind-withdrawal-received = Widerruf eingegangen
mail-kind-withdrawal-refused = Widerruf abgelehnt

## What of an order the text of a search was

found-by-order = Bestellung
found-by-payment = Zahlung
found-by-refund = Erstattung
found-by-dispute = Zahlungsanfechtung
found-by-document = Dokument
found-by-reference = Bestellnummer des Käufers
found-by-transfer = Referenz der Bank
found-by-course = Kurs
found-by-address = Adresse
found-by-name = Name
found-by-company = Unternehmen
found-by-tax-id = USt-IdNr.

## Roles of the staff

role-support = Kundenservice
role-finance = Finanzen
role-manager = Leitung

### The start page: what needs a person, and figures

start-title = Start
start-heading = Zu erledigen
start-nothing = Auf Sie wartet nichts.
start-decide = Entscheiden …
start-decide-text = Wird die Nachricht erneut verarbeitet, holt sie nach, was vorher nicht geklappt hat. Wird sie verworfen, ist sie endgültig weg, und was sie bewirken sollte, geschieht nicht.
start-process-again = Erneut verarbeiten
start-drop = Endgültig verwerfen
start-mail-again = E-Mail erneut senden
start-open-withdrawal = Widerruf öffnen
start-open-invoice = Rechnungsanfrage öffnen
start-open-events = Ereignisse öffnen
start-open-order = Bestellung öffnen
start-open-person = Person öffnen
start-today = Heute
start-paid = Bezahlt
start-orders = { PLURAL($n) ->
    [one] { $n } Bestellung
   *[other] { $n } Bestellungen
}
start-no-money = Seit Mitternacht ist kein Geld geflossen.
owed-title = Offene Posten
owed-text = Bestellungen, deren Überweisung oder Rechnung noch nicht bezahlt ist, die am längsten fälligen zuerst.
owed-open = Offen
owed-overdue = Überfällig
owed-how = Zahlung
owed-on-account = auf Rechnung
owed-none = Es ist nichts offen.
owed-pending-text = Zahlungen, die der Zahlungsanbieter noch bearbeitet, etwa Lastschriften, die ältesten Bestellungen zuerst.
owed-until = Bestellungen bis Ende { $month }.
owed-all = Alle anzeigen
owed-placed = Bestellt am
owed-at-provider = beim Zahlungsanbieter

## The chart of orders by day: { $up } were paid, { $down } ended unpaid; { $most } is the largest number of a day

start-chart = { $up } bezahlt und { $down } unbezahlt beendet in den letzten 30 Tagen; höchstens { $most } an einem Tag
start-chart-day = { $day }: { $up } bezahlt, { $down } unbezahlt beendet
start-chart-up = { $n } bezahlt
start-chart-down = { $n } unbezahlt beendet

## Tags: what waits for a person

waiting-kind-payment = Zahlung
waiting-kind-notification = Mitteilung
waiting-kind-access = Zugang
waiting-kind-enrollment = Kursanmeldung
waiting-kind-refund = Erstattung
waiting-kind-refund-to-pay = Erstattung
waiting-kind-overdue = überfällig
waiting-kind-invoice = Rechnung
waiting-kind-document = Dokument
waiting-kind-withdrawal = Widerruf
waiting-kind-mail = E-Mail
waiting-kind-endpoint = Endpunkt
waiting-kind-dead-letter = Nachricht

## What waits for a person, and what to do about it

waiting-payment = Zu dieser Zahlung ist eine Entscheidung nötig. Lesen Sie den Grund, handeln Sie und schließen Sie dann die Warnung.
waiting-notification = Die Mitteilung des Zahlungsanbieters widerspricht den gespeicherten Daten. Vergleichen Sie sie mit seinem Dashboard.
waiting-access = Die Bestellung ist bezahlt, aber ihre Kurse sind noch nicht freigeschaltet.
waiting-enrollment = Die Kursplattform hat die Anmeldung abgelehnt. Beheben Sie dort die Ursache und versuchen Sie es dann hier noch einmal.
waiting-refund = Der Zahlungsanbieter hat auf die Erstattung noch nicht geantwortet. Er wird automatisch noch einmal angefragt.
waiting-refund-to-pay = Zahlen Sie die Erstattung über Ihre Bank aus. Melden Sie dann, dass sie angekommen ist oder zurückkam.
waiting-overdue = Das Geld war fällig und ist nicht da. Erinnern Sie den Käufer, buchen Sie, was gekommen ist, oder stornieren Sie die Bestellung.
waiting-invoice = Der Kundenservice bittet um eine korrigierte Rechnung, mit der die Steuer zurückgezahlt wird. Bestätigen Sie sie, oder lehnen Sie sie ab.
waiting-document = Ein anderes System hat das Dokument seit einem Tag nicht ausgestellt. Fragen Sie dort nach, oder melden Sie, was es sagt.
waiting-withdrawal = Ein Käufer hat widerrufen. Nehmen Sie den Widerruf an, erstatten Sie einen Teil oder lehnen Sie ihn mit Begründung ab; die Erstattung ist 14 Tage nach der Erklärung fällig.
waiting-mail = Die E-Mail ist nicht angekommen. Korrigieren Sie die Adresse oder senden Sie die E-Mail noch einmal.
waiting-endpoint = An diese Adresse werden keine Ereignisse mehr zugestellt. Lassen Sie den Empfänger reparieren und aktivieren Sie sie dann wieder.
waiting-dead-letter = Eine Nachricht konnte nicht verarbeitet werden. Beheben Sie die Ursache und lassen Sie sie dann erneut verarbeiten; verwerfen Sie sie nur, wenn nichts geschehen soll.

### Where do you work: for a person on the staff of several shops

choose-title = Wo arbeiten Sie heute?
choose-hello = Hallo { $name }. Sie gehören zum Team dieser Organisationen.

### What a search has found

search-results = Ergebnisse für „{ $text }“
search-short = Geben Sie mindestens 2 Zeichen ein: eine Adresse, einen Teil des Namens oder der Firma auf einer Rechnung, deren USt-IdNr., eine Bestellung, die Nummer eines Dokuments, die Bestellnummer des Käufers, die Referenz einer Überweisung, Ihrer Bank oder des Zahlungsanbieters, einen Gutscheincode oder einen Kurs mit Namen oder ID.
search-none = Bei { $organisation } gibt es dazu nichts. Versuchen Sie es mit der ganzen Adresse oder mit mindestens drei Buchstaben des Namens oder der Firma auf der Rechnung. Bestellungen anderer Shops erscheinen hier nicht.
search-voucher = Gutschein
search-course = Kurs
search-found-by = Gefunden über
search-more = Es gibt noch mehr Treffer. Ergänzen Sie den Suchtext, um sie einzugrenzen.

### An order

order-title = Bestellung von { $email }
order-placed = bestellt am { $date }
order-former-shop = Verkauft von { $shop }, bevor die Bestellung hierher übernommen wurde: nur zur Ansicht. Erstattungen und Belege gibt es dort.
order-former-shop-account = Verkauft von { $shop }, bevor die Bestellung hierher übernommen wurde. Bezahlt wurde sie über das Konto bei { $provider }, das auch hier verwendet wird; sie lässt sich also hier erstatten. Belege gibt es dort.
order-alert = Zu dieser Zahlung ist eine Entscheidung nötig
order-alert-done = Was wurde unternommen?
order-alert-close = Warnung schließen
order-bought = Gekauft
order-lines = Positionen
order-line = Position
order-access = Zugang
order-seats = { PLURAL($n) ->
    [one] { $n } Platz
   *[other] { $n } Plätze
}
order-gift = Geschenk
order-gift-given = Übergeben am { $date }
order-gift-planned = Für den { $date }
order-is-moving = wird auf { $course } umgebucht
order-is-moving-to-person = wird auf eine andere Person umgebucht
order-moved = auf { $course } umgebucht
order-moved-to-person = auf eine andere Person umgebucht
order-total-with-voucher = Gesamtbetrag mit { $code }

## Refund

order-refund = Erstatten …
order-refund-text = Kreuzen Sie oben die Positionen an, die Sie erstatten und deren Zugang Sie beenden wollen; ohne Auswahl wird die ganze Bestellung erstattet. Die nächste Seite zeigt zuerst, was geschehen wird.
order-refund-amount = Betrag, falls geringer
order-refund-all-left = gesamter Restbetrag
order-refund-keep = Kulanz: Betrag erstatten und keinen Zugang beenden

## Move

order-move = Umbuchen …
order-move-text = Die Position gibt Zugang zu einem anderen Kurs oder gibt ihren Zugang einer anderen Person. Es fließt kein Geld, und die Rechnung bleibt, wie sie ist. Die nächste Seite zeigt, was geschehen wird.
order-move-course = Auf den Kurs
order-move-person = An die Person mit der Adresse

## Access: what the course platform says about it

order-withdrawals = Widerrufe
order-platform-agrees = von der Kursplattform bestätigt
order-platform-refused = von der Kursplattform abgelehnt
order-platform-waits = die Kursplattform wartet auf die Registrierung der Person
order-platform-not-yet = von der Kursplattform noch nicht bestätigt
order-access-ended = beendet am { $date }:

## Money, mails and documents

order-money-back = Rückzahlungen
order-refund-to-pay = Zahlen Sie den Betrag bei Ihrer Bank zurück und melden Sie dann, was daraus wurde.
order-refund-arrived = Das Geld ist angekommen
order-refund-back = Das Geld kam zurück
order-dispute = { $amount } bei der Bank angefochten
order-payment = Zahlung
order-transfer = Überweisung
order-transfer-reference = Zahlungsreferenz
order-transfer-due = Fällig
order-transfer-open = Noch zu zahlen
order-payment-book = Zahlung buchen …
order-payment-text = Buchen Sie, was Ihre Bank zeigt. Sobald { $amount } vollständig eingegangen sind, werden die Kurse freigeschaltet, und der Käufer bekommt den Beleg.
order-payment-day = Tag bei der Bank
order-payment-reference = Referenz bei der Bank
order-payment-submit = Diese Zahlung buchen
order-payment-is-back = zurückgezahlt
order-payment-return-text = Zahlen Sie { $amount } zuerst bei Ihrer Bank zurück. Danach zählt der Betrag nicht mehr.
order-payment-return = Wurde zurückgezahlt
order-payment-end = Bestellung beenden …
order-payment-end-text = Für sie ist kein Geld eingegangen. Ihr Gutschein und ihre Plätze werden für andere frei. Eine Überweisung, die doch noch kommt, wird eingelöst und gemeldet.
order-payment-end-submit = Diese Bestellung beenden
order-document-report = Melden, was daraus wurde …
order-document-text = Melden Sie, was das andere System sagt.
order-document-number = Nummer
order-document-day = Tag auf dem Dokument
order-document-total = Gesamtbetrag
order-document-authority = System der Behörde
order-document-qr = Inhalt des QR-Codes
order-document-issued = Es ist ausgestellt
order-document-refused = Es wurde abgelehnt
order-document-cancel = { $number } wurde storniert …
order-document-cancel-text = Nur wenn es dort storniert wurde, wo es ausgestellt worden war. Die Bestellung hat dann kein solches Dokument, bis es neu angefordert wird.
order-document-cancelled = Es wurde storniert
order-document-anew = Neu anfordern
order-invoice-on-account = Auf Rechnung: Die Rechnung wurde vor der Zahlung ausgestellt.
order-invoice-overdue = Überfällig
order-invoice-cancel = Rechnung stornieren …
order-invoice-cancel-text = Für sie ist kein Geld eingegangen. Eine Rechnungskorrektur hebt die Rechnung auf, und der Zugang endet. Eine Überweisung, die doch noch kommt, zahlen Sie zurück.
order-invoice-cancel-submit = Diese Rechnung stornieren
order-reverse-charge-applied = Steuerschuldnerschaft des Leistungsempfängers: VIES hat die USt-IdNr. bestätigt, Abfragenummer { $number }.
order-reverse-charge-invalid = Die Steuer wurde berechnet: VIES kennt die USt-IdNr. nicht.
order-reverse-charge-unavailable = Die Steuer wurde berechnet: VIES hat nicht beantwortet, ob die USt-IdNr. gültig ist.
order-provider = Zahlungsanbieter
order-reference = Referenz
order-at-bank-since = Bei der Bank in Bearbeitung seit
order-disputed = Angefochten am
order-mails = E-Mails und Dokumente
order-mail = { $mail } an { $email }
order-mail-failed = fehlgeschlagen
order-mail-waits = wartet
order-mail-sent = gesendet
order-mail-deferred = vom Mailserver aufgeschoben
order-mail-delivered = zugestellt
order-mail-again = Erneut senden
order-no-mails = Nichts wartet. Gesendete E-Mails stehen im Verlauf.
order-receipt-again = Beleg erneut an { $email } senden
order-invoice-again = Rechnung erneut an { $email } senden
order-invoice-correct = Rechnung korrigieren …
order-invoice-asked = Die Finanzabteilung ist um eine korrigierte Rechnung gebeten
order-invite-again = Einladung erneut an { $email } senden
order-correct-address = Adresse korrigieren …
order-correct-address-text = Für einen Gast, der sich vertippt hat. Was auf { $email } wartet, geht auf die neue Adresse über; hat sie noch kein Konto, wird sie zur Registrierung eingeladen. Die Rechnung bleibt, wie sie ist.
order-right-address = Richtige Adresse
order-correct-address-submit = Bestellung auf diese Adresse übertragen

## The history: each entry is a sentence, and who did it

order-history = Verlauf
# { $name } is a person, or one of those below, which are in the accusative
order-by = durch { $name }
timeline-by-system = das System
timeline-by-client = den Shop
timeline-by-guest = den Käufer, als Gast
timeline-by-learner = den Käufer, angemeldet
timeline-by-provider = den Zahlungsanbieter
timeline-by-staff = das Team (Konto { $id })
timeline-by-operator = { $name } (Betreiber)
timeline-by-key = den Schlüssel { $id } der Organisation

timeline-cart-open = Der Warenkorb wurde angelegt.
timeline-cart-placed = Die Bestellung wurde aufgegeben.
timeline-cart-pending-payment = Die Bestellung wurde aufgegeben und wartet auf ihre Zahlung.
timeline-cart-held = Die Bestellung wurde aufgegeben; ihre Kurse werden nach der Registrierung mit der Adresse freigeschaltet.
timeline-cart-paid = Die Bestellung ist bezahlt.
timeline-cart-fulfilled = Die Bestellung ist abgeschlossen: Der Zugang wurde gewährt.
timeline-cart-cancelled = Die Bestellung wurde storniert.
timeline-cart-expired = Die Bestellung ist unbezahlt abgelaufen.
timeline-cart-refunded = Die Bestellung ist beendet: Das ganze Geld ging zurück.
timeline-cart-invoice-corrected = Der Käufer auf der Rechnung wurde berichtigt.
timeline-cart-document-issued = Ein Dokument wurde als ausgestellt gemeldet.
timeline-cart-document-refused = Ein Dokument wurde abgelehnt.
timeline-cart-document-cancelled = Ein Dokument wurde dort storniert, wo es ausgestellt worden war.
timeline-cart-document-replaced = Ein abgelehntes oder storniertes Dokument wurde neu angefordert.
timeline-cart-invoice-asked = Die Finanzabteilung wurde um eine korrigierte Rechnung gebeten.
timeline-cart-invoice-refused = Die Finanzabteilung hat die korrigierte Rechnung abgelehnt.
timeline-cart-invoice-paid = Die Rechnung wurde bezahlt.
timeline-cart-restored = Der Zugang wurde wiederhergestellt.
timeline-cart-access-blocked = Der Zugang wartet auf eine Person.
timeline-cart-access-restored = Der Zugang, auf dem diese Bestellung aufbaut, ist wieder da; darum wurde sie freigegeben.
timeline-cart-mail-sent = Die E-Mail „{ $mail }“ wurde gesendet.
timeline-cart-mail-again = Die E-Mail „{ $mail }“ wurde erneut gesendet.
timeline-cart-move-asked = Eine Umbuchung von { $from } auf { $to } wurde angefordert.
timeline-cart-move-withdrawn = Die Umbuchung auf { $to } wurde zurückgenommen.
timeline-cart-moved = Der Zugang ging von { $from } auf { $to } über.
timeline-cart-moved-to-person = Der Zugang zu { $to } ging auf eine andere Person über.
timeline-cart-address-corrected = Die Adresse des Käufers wurde korrigiert.
timeline-alert-closed = Die Warnung wurde geschlossen: { $alert }.
timeline-transaction-created = Die Zahlung wurde vorbereitet.
timeline-transaction-processing = Die Zahlung wurde beim Zahlungsanbieter begonnen.
timeline-transaction-succeeded = Die Zahlung ist eingegangen.
timeline-transaction-failed = Die Zahlung ist fehlgeschlagen.
timeline-transaction-cancelled = Die Zahlung wurde abgebrochen.
timeline-transaction-superseded = Ein anderer Versuch hat die Zahlung ersetzt.
timeline-transaction-refunded = Die Zahlung wurde vollständig erstattet.
timeline-transaction-partly-refunded = Von der Zahlung sind jetzt { $refunded } erstattet.
timeline-transaction-lost = Von der Zahlung hat die Bank { $lost } zurückgeholt.
timeline-transaction-held = Wegen einer Anfechtung sind { $lost } der Zahlung einbehalten.
timeline-transaction-refunded-and-lost = Von der Zahlung sind { $refunded } erstattet, und { $lost } hat die Bank zurückgeholt.
timeline-transaction-nothing-back = Von der Zahlung ist nichts mehr erstattet oder zurückgeholt.
timeline-transaction-charged = Der Zahlungsanbieter hat einen anderen Betrag als den der Bestellung eingezogen.
timeline-transaction-received = { $amount } sind bei der Bank eingegangen.
timeline-transaction-returned = { $amount } wurden bei der Bank zurückgezahlt.
timeline-transaction-event-applied = Eine Benachrichtigung, die den Daten widersprach, wurde angewendet.
timeline-refund-asked = Eine Erstattung wurde angefordert.
timeline-refund-accepted = Der Zahlungsanbieter hat die Erstattung angenommen.
timeline-refund-succeeded = Die Erstattung ist abgeschlossen.
timeline-refund-failed = Die Erstattung ist fehlgeschlagen.
timeline-withdrawal-objected = Der Inhaber der Bestelladresse hat mitgeteilt, dass der Widerruf nicht von ihm stammt.
timeline-withdrawal-received = Ein Widerruf wurde erklärt.
timeline-withdrawal-unmatched = Ein Widerruf wurde unter einer anderen Adresse erklärt.
timeline-withdrawal-accepted = Der Widerruf wurde angenommen.
timeline-withdrawal-refused = Der Widerruf wurde abgelehnt.
timeline-the-course = Der Kurs
timeline-enrollment-enrolled = { $course }: Zugang erteilt.
timeline-enrollment-pending-registration = { $course }: wartet auf die Registrierung mit der Adresse.
timeline-enrollment-removed = { $course }: Zugang beendet.
timeline-enrollment-synced = { $course }: von der Kursplattform bestätigt.
timeline-enrollment-refused = { $course }: von der Kursplattform abgelehnt.
timeline-enrollment-retried = { $course }: Die Anmeldung wird erneut versucht.
timeline-notification = Der Zahlungsanbieter hat { $what } gemeldet.
timeline-dispute-open = Die Bank des Käufers hat eine Zahlungsanfechtung eröffnet, die jetzt offen ist.
timeline-dispute-won = Die Bank des Käufers hat eine Zahlungsanfechtung eröffnet, die jetzt gewonnen ist.
timeline-dispute-lost = Die Bank des Käufers hat eine Zahlungsanfechtung eröffnet, die jetzt verloren ist.
timeline-became = { $what }: aus { $from } wurde { $to }.
timeline-other = { $what }: { $to }.

### A withdrawal of an order: on the order's page, and on a page of its own

decide-declared = erklärt am { $date } von { $email }
decide-no-proof = ohne Nachweis
decide-lines = { PLURAL($n) ->
    [one] { $n } Position
   *[other] { $n } Positionen
}
decide-no-line = keine Position
decide-decided = entschieden am { $date }
decide-waits = wartet auf eine Entscheidung:
decide-judged = wird automatisch geprüft, das nächste Mal am { $date }
decide-objected = Am { $date } hat der Inhaber der Bestelladresse mitgeteilt, dass der Widerruf nicht von ihm stammt.
decide-accept = Annehmen …
decide-accept-text = Alles, was von den erklärten Positionen übrig ist, geht an den Käufer zurück, und der Zugang endet. Der Käufer bekommt eine E-Mail.
decide-reason-optional = Begründung, die der Käufer sieht; kann leer bleiben
decide-accept-submit = Gesamten Restbetrag erstatten und Zugang beenden
decide-part = Teil erstatten …
decide-part-text = Für eine Dienstleistung, die schon begonnen hatte: Dieser Betrag geht an den Käufer zurück, und der Zugang zu den erklärten Positionen endet. Der Käufer bekommt eine E-Mail.
decide-part-submit = Diesen Betrag erstatten und Zugang beenden
decide-refuse = Ablehnen …
decide-refuse-text = Nichts wird erstattet, und der Zugang bleibt. Der Käufer bekommt eine E-Mail mit Ihrer Begründung und kann die Positionen erneut widerrufen.
decide-refuse-submit = Widerruf ablehnen
decide-close = Schließen …
decide-close-text = Es geht keine E-Mail hinaus: Wer den Widerruf erklärt hat, kann ein Fremder sein. Wenn Sie die gemeinte Bestellung gefunden haben, erstatten Sie sie zuerst dort.
decide-close-submit = Widerruf schließen

## The page of its own

withdrawal-title = Widerruf von { $name }
withdrawal-heading = Widerruf
withdrawal-declared-what = Was erklärt wurde
withdrawal-order-named = Bestellung, wie angegeben
withdrawal-name = Name
withdrawal-declared = Erklärt am
withdrawal-decision = Entscheidung

### Before a refund: { $provider } is the payment provider, such as Stripe

refund-title = Erstatten?
refund-heading = Diese Bestellung erstatten?
refund-order = Bestellung von { $email } über { $total }, davon bereits { $refunded } erstattet.
refund-amount = Der Käufer bekommt über { $provider } { $amount } zurück.
refund-all = Alles, was von { $total } übrig ist, geht über { $provider } an den Käufer zurück.
refund-lines = Alles, was von den angekreuzten Positionen übrig ist, { $amount }, geht über { $provider } an den Käufer zurück.
refund-lines-with-tax = Alles, was von den angekreuzten Positionen übrig ist, { $amount } zuzüglich etwa darauf erhobener Steuer, geht über { $provider } an den Käufer zurück.
refund-access-stays = Jeder Zugang bleibt bestehen.
refund-access-ends = Der Zugang zu { $item } endet, sobald der Zahlungsanbieter die Erstattung angenommen hat, es sei denn, es wurde schon ein Zertifikat erworben.
refund-own = Ihre Organisation zahlt das Geld bei ihrer Bank aus und meldet dann hier, dass es angekommen ist.
refund-access-ends-now = Der Zugang zu { $item } endet sofort, es sei denn, es wurde schon ein Zertifikat erworben.
refund-mail = { $email } bekommt eine E-Mail über die Erstattung.
refund-no-mail = Von hier geht keine E-Mail an die Käuferin oder den Käufer, denn verkauft hat die Bestellung ein anderer Shop.
refund-mail-with-credit-note = { $email } bekommt eine E-Mail über die Erstattung mit einer Rechnungskorrektur.
refund-needs-amount = Kulanz braucht einen Betrag. Gehen Sie zurück und geben Sie einen ein.
refund-reason = Grund, den auch der Käufer sieht
refund-despite-dispute = Erstatten, obwohl bei der Bank eine Anfechtung offen ist und sie dem Käufer dasselbe Geld zurückgeben kann
refund-taken = Wegen Anfechtungen fehlen { $lost }: Dieser Betrag kann nicht erstattet werden.
refund-back = Zurück, nichts erstatten
refund-submit-all = Gesamten Restbetrag erstatten und Zugang beenden
refund-submit = { $amount } erstatten und Zugang beenden
refund-submit-keep = { $amount } erstatten

### A correction of the buyer on an invoice

invoice-title = Rechnung korrigieren
invoice-buyer = Käufer auf der Rechnung
invoice-asked = Der Kundenservice hat am { $date } um diesen Käufer gebeten. Damit geht die Steuer an den Käufer zurück.
invoice-happens = Eine Rechnungskorrektur nimmt die Rechnung zurück, und eine neue nennt diesen Käufer.
invoice-mail = { $email } bekommt die neue Rechnung per E-Mail.
invoice-tax = Ist es ein Unternehmen eines anderen EU-Mitgliedstaats und bestätigt VIES die USt-IdNr., wird die Steuer zurückgezahlt.
invoice-tax-asked = Ist es ein Unternehmen eines anderen EU-Mitgliedstaats und bestätigt VIES die USt-IdNr., ist die Steuer zurückzuzahlen: Dann wird die Finanzabteilung gefragt, und sie korrigiert die Rechnung.
invoice-back = Zurück, nichts korrigieren
invoice-submit = Rechnung korrigieren und senden
invoice-refuse = Anfrage des Kundenservice ablehnen
buyer-company = Firma
buyer-tax-id = USt-IdNr.
buyer-name = Name
buyer-line1 = Straße
buyer-line2 = Adresszusatz
buyer-postal-code = Postleitzahl
buyer-city = Ort
buyer-state = Bundesland
buyer-country = Land, zwei Buchstaben

### Before a move: { $name } is the course of the line

move-title = Umbuchen?
move-heading = Diese Position umbuchen?
move-line-number = Position { $position }
runs-heading = Wohin zieht { $name } um?
runs-line = { $name }, { $mode }, gekauft für { $price }.
runs-choose = Umziehen nach { $name } …
runs-same-course = anderer Durchgang
runs-none = Kein anderer Kurs ist in diesem Modus im Verkauf, oder der Käufer hat ihn schon.
runs-person = Oder an eine andere Person
move-is-moving = Die Position wird gerade auf { $course } umgebucht.
move-is-moving-to-person = Die Position wird gerade auf { $course } und auf eine andere Person umgebucht.
move-was-moved = Die Position wurde auf { $course } umgebucht.
move-was-moved-to-person = Die Position wurde auf { $course } und auf eine andere Person umgebucht.
move-access-now = Wer durch diese Bestellung jetzt Zugang hat:
move-to-course = Die Position gibt stattdessen Zugang zu { $course }.
move-other-price = Er kostet { $price }, die Position { $paid }: Setzen Sie unten das Häkchen, dass nichts berechnet oder erstattet wird.
move-to-person = Der Zugang der Position geht an { $email }; gibt es mit dieser Adresse noch kein Konto, wird die Person zur Registrierung eingeladen.
move-old-access = Der jetzige Zugang bleibt, bis die Kursplattform den neuen bestätigt hat, und endet dann. Lehnt die Plattform ab, bleibt er, und die Ablehnung steht in der Liste „Zu erledigen“.
move-earlier = Eine frühere Umbuchung dieser Position, die die Plattform abgelehnt hat oder deren Adresse noch nicht registriert ist, wird zurückgenommen.
move-money = Es fließt kein Geld. Die Rechnung bleibt, wie sie ist; eine spätere Erstattung der Position beendet den neuen Zugang.
move-certificate = Hat die Person, die jetzt Zugang hat, schon ein Zertifikat erworben, geschieht nichts.
move-mail = { $email } bekommt eine E-Mail, sobald der Umzug erledigt ist.
move-reason = Grund, für das Protokoll
move-waive = Auch bei abweichendem Preis umbuchen; nichts wird berechnet oder erstattet
move-back = Zurück, nichts umbuchen
move-submit = { $name } auf { $to } umbuchen

### A person: an address with its orders, courses and seats

person-download = Alles herunterladen, was { $organisation } über diese Person hat
person-download-help = Als JSON, wenn die Person Auskunft verlangt.
person-no-orders = Unter dieser Adresse gibt es bei { $organisation } keine Bestellungen. Vielleicht hat die Person unter einer anderen gekauft: Suchen Sie nach dem Namen auf der Rechnung.
person-no-courses = Für diese Adresse wurde kein Kurs von { $organisation } freigeschaltet.
person-seats = Plätze, die diese Adresse verwaltet oder hat
person-seats-taken = { $used } von { $seats } vergeben
person-seats-bought = gekauft am { $date }

### Payouts

payouts-title = Auszahlungen
payouts-text = Was der Zahlungsanbieter an Ihre Bank ausgezahlt hat und woraus jede Auszahlung besteht. Es wird stündlich abgefragt.
payouts-refused = { $gateway } zeigt dem Schlüssel Ihres Kontos keine Auszahlungen. Wenden Sie sich an den Betreiber dieses Dienstes.
payouts-unread = Die Auszahlungen von { $gateway } wurden noch nicht abgefragt.
payouts-made = Erstellt am
payouts-bank = Bei der Bank
payouts-payments = Zahlungen
payouts-refunds = Erstattungen
payouts-disputes = Zahlungsstreite
payouts-fees = Gebühren
payouts-rest = Sonstiges
payouts-difference = Differenz
payouts-not-read = Die Bestandteile wurden noch nicht abgefragt.
payouts-not-itemised = Der Anbieter nennt die Bestandteile nicht.
payouts-none = In diesem Zeitraum gab es keine Auszahlung. Wählen Sie einen anderen.
payouts-csv = Auszahlungen als CSV herunterladen
payouts-xlsx = Auszahlungen als XLSX
payouts-movements = Bestandteile der Auszahlungen
payouts-movements-csv = Bestandteile als CSV
payouts-movements-xlsx = Bestandteile als XLSX
payout-status-pending = ausstehend
payout-status-paid = ausgezahlt
payout-status-failed = fehlgeschlagen

### The month that finance closes

# A link at the top of each page, and the page on which finance closes a month
month-title = Monatsabschluss
month-month = Monat
month-text = Geld zählt an dem Tag, den die Bank oder der Zahlungsanbieter nennt.
month-closed = abgeschlossen
month-closed-by = Abgeschlossen am { $date } durch { $name }.
month-closed-with = Er wurde zusammen mit { $month } abgeschlossen.
month-open = Der Monat ist vorbei und noch nicht abgeschlossen.
month-not-over = Der Monat kann nach dem { $day } abgeschlossen werden.
month-provider = Zahlungsanbieter
# In place of a provider: transfers that you take yourself
month-own-account = eigenes Konto
# Headings: money that is with the provider before and after the month
month-opening = Vorher beim Anbieter
month-paid-out = Ausgezahlt
month-closing = Noch beim Anbieter
month-no-opening = Was vorher beim Zahlungsanbieter lag, ist nicht bekannt, weil kein Monat im Jahr davor abgeschlossen ist.
month-adds-up = Es geht auf: Was vorher da war und alles Bewegte ergeben, was noch da ist, und die Auszahlungen stimmen damit überein.
month-gaps = Das geht nicht auf:
# Behind an amount: why it does not add up
month-gap-other = Bestandteile einer Auszahlung, die die Bücher nicht kennen
month-gap-unknown-payment = Zahlungen in einer Auszahlung, die keine Bestellungen hier sind
month-gap-other-currency = in einer Währung bezahlt und in einer anderen ausgezahlt
month-gap-difference = Differenz zwischen einer Auszahlung und ihren Bestandteilen
month-gap-unread = eine Auszahlung, deren Bestandteile nicht in diesem Monat abgefragt wurden, sodass ihre Gebühren fehlen
month-gap-closed = Differenz zum Stand, mit dem der Monat abgeschlossen wurde
# Above amounts
month-unpaid = Jetzt unbezahlt
month-pending = Jetzt in Bearbeitung
month-documents = Fehlende Dokumente
month-documents-text = Bezahlte Bestellungen ohne Rechnung und Erstattungen ohne Rechnungskorrektur. Die meisten werden in Minuten ausgestellt; fragen Sie den Betreiber, wenn etwas hier stehen bleibt.
month-no-documents = Es fehlt kein Dokument.
month-late = Nachzügler
month-late-text = Geld, das zu diesem Monat zählt, weil sein eigener Monat bei der Buchung schon abgeschlossen war.
month-no-late = Nichts kam verspätet.
# Below an amount: of how many it is the sum
month-number = Anzahl: { $n }
month-close-text = Ist er abgeschlossen, bleibt der Monat mit allen davor, wie er ist: Was später gebucht wird, zählt zu einem offenen Monat. Das lässt sich nicht rückgängig machen.
# A button
month-close = { $month } abschließen

### Reports

reports-title = Berichte
reports-from = Von
reports-to = Bis einschließlich
reports-by = Maßgeblich ist der Tag
reports-by-booked = der Buchung
reports-by-received = der Bank oder des Zahlungsanbieters
reports-show = Anzeigen
reports-zone = Tage in der Zeitzone { $zone }.
# Before tags with what the page shows
reports-only = Nur:
reports-all = Alle Bewegungen anzeigen
reports-totals = Buchungen und Steuern
reports-movement = Buchung
reports-taxed-in = Besteuert in
reports-rate = Satz
reports-number = Anzahl
reports-net = Netto
reports-none = In diesem Zeitraum ist kein Geld geflossen. Wählen Sie einen anderen: Zahlungen zählen an dem Tag, an dem der Zahlungsanbieter sie gemeldet hat.
reports-ledger = Buchungsjournal
reports-ledger-first = Buchungsjournal: die ersten { $n } Buchungen
reports-booked = Gebucht am
reports-received = Geld bewegt am
reports-document = Dokument
reports-download-csv = Buchungsjournal als CSV herunterladen
reports-download-json = Als JSON
reports-download-xlsx = Buchungsjournal als XLSX
reports-taxes = Steuern
reports-taxes-text = Rechnungen abzüglich Rechnungskorrekturen, nach dem Tag, den sie zeigen.
reports-taxes-chargeback = Eine Rückbuchung nimmt Geld zurück, und ihr folgt keine Rechnungskorrektur: Die Steuern hier sind um die Steuer der Rückbuchungen höher als die der Bewegungen oben.
reports-country = Land
reports-state = Region
reports-category = Kategorie
reports-documents = Dokumente
reports-taxes-csv = Steuern als CSV herunterladen
reports-taxes-json = Steuern als JSON
reports-taxes-days = Steuern nach Tagen
reports-taxes-days-xlsx = Steuern nach Tagen als XLSX
reports-taxes-payments-xlsx = Steuern nach Zahlungstagen als XLSX
reports-taxes-oss = One-Stop-Shop
reports-taxes-oss-xlsx = One-Stop-Shop als XLSX
reports-taxes-xlsx = Steuern als XLSX
reports-taxes-none = In dieser Zeit wurde keine Rechnung oder Rechnungskorrektur ausgestellt. Ohne Verkäuferangaben stellt eine Organisation keine aus.

reports-sum = Summe
column-seq = Nummer
column-at = Zeitpunkt
column-day = Gebucht am
column-kind = Buchung
column-cart_id = Bestellung
column-transaction_id = Zahlung
column-refund_id = Erstattung
column-amount = Betrag
column-tax = Steuer
column-currency = Währung
column-gateway = Zahlungsanbieter
column-provider_reference = Referenz des Anbieters
column-region = Land des Käufers
column-list_price = Listenpreis
column-discounts = Rabatte
column-voucher_discount = Rabatt des Gutscheins
column-voucher = Gutschein
column-campaign = Kampagne
column-document_number = Dokument
column-tax_country = Besteuert in
column-tax_state = Region der Steuer
column-tax_rate = Steuersatz (%)
column-language = Sprache
column-reference = Referenz des Käufers
column-metadata = Metadaten
column-bank_day = Tag der Bank
column-bank_reference = Referenz der Bank
column-tax_id = USt-IdNr.
column-reverse_charge = Steuerschuldnerschaft des Leistungsempfängers
column-country = Land
column-state = Region
column-rate = Satz (%)
column-category = Kategorie
column-net = Netto
column-count = Dokumente
column-payout = Auszahlung
column-status = Status
column-made_on = Erstellt am
column-payments = Zahlungen
column-refunds = Erstattungen
column-disputes = Zahlungsstreite
column-fees = Gebühren
column-returned = Zurückgekommene Auszahlungen
column-other = Sonstiges
column-rounding = Rundung
column-difference = Differenz
column-fee_tax = Steuer in den Gebühren
column-movements = Anzahl
column-itemised = Aufgeschlüsselt
column-movement = Kennung beim Anbieter
column-provider_kind = Art beim Anbieter
column-gross = Ohne Gebühr
column-fee = Gebühr
column-balance = Anderes Guthaben
column-date = Tag
column-buyer = Käufer
column-quarter = Quartal
column-number = Anzahl
tax-category-s = Regelsatz
tax-category-z = Nullsatz
tax-category-e = befreit
tax-category-ae = Steuerschuldnerschaft des Leistungsempfängers
tax-category-o = nicht steuerbar

### Vouchers

vouchers-title = Gutscheine
vouchers-whole-seat = ein ganzer Platz
vouchers-none-found = Kein Gutschein hat diesen Code und diese Kampagne. Lassen Sie ein Feld leer, um mehr zu sehen.
vouchers-none = { $organisation } hat noch keine Gutscheine. Legen Sie unten den ersten an.
vouchers-new = Gutscheine anlegen
vouchers-code-help = 3 bis 40 Buchstaben, Ziffern, - und _. Leer: Codes werden automatisch erzeugt.
vouchers-count = Anzahl der Codes
vouchers-count-help = Mehr als einer nur ohne eigenen Code.
vouchers-percentage = Prozentsatz
vouchers-amount = Betrag
vouchers-how-much = Höhe
vouchers-courses-help = Eine Kurs-ID pro Zeile, zum Beispiel course-v1:Northwind+ENG101+2026. Leer: alles, was { $organisation } verkauft.
vouchers-new-submit = Gutscheine anlegen

## One voucher

voucher-used = Eingelöst am
voucher-not-used = Noch nicht eingelöst.
voucher-terms = Bedingungen
voucher-for = Gilt für
voucher-courses = { PLURAL($n) ->
    [one] { $n } Kurs
   *[other] { $n } Kurse
}
voucher-programs = { PLURAL($n) ->
    [one] { $n } Programm
   *[other] { $n } Programme
}
voucher-everything = alles
voucher-change-text = Wie viel er abzieht und wovon, bleibt, wie es versprochen wurde.
voucher-budget-in = Budget in { $currency }
voucher-until-help = Leer: unbefristet.
voucher-end-text = Beendet zieht er von neuen Bestellungen nichts mehr ab. Was mit ihm gekauft wurde, bleibt, wie es ist.
voucher-end = { $code } jetzt beenden

## Its chart by day: { $up } uses of paid orders, { $down } that were given back; { $most } is the largest number of a day

voucher-chart = { $up } eingelöst und { $down } freigegeben in den letzten 30 Tagen; höchstens { $most } an einem Tag
voucher-chart-day = { $day }: { $up } eingelöst, { $down } freigegeben
voucher-chart-up = { $n } eingelöst
voucher-chart-down = { $n } freigegeben

## The codes of vouchers, to be taken along

codes-title = Codes
codes-heading = { PLURAL($n) ->
    [one] { $n } Code
   *[other] { $n } Codes
}
codes-of-campaign = { PLURAL($n) ->
    [one] { $n } Code von { $campaign }
   *[other] { $n } Codes von { $campaign }
}
codes-csv = Als CSV herunterladen
codes-copy = Zum Kopieren
codes-back = Zurück zu den Gutscheinen
codes-take = Codes dieser Kampagne mitnehmen

### Seats: places in a course that somebody has bought for others

seats-title = Plätze
seats-pools = Platzkontingente
seats-item = Kurs oder Programm
seats-bought = Gekauft am
seats-taken = Vergeben
seats-none = { $organisation } hat noch keine Plätze verkauft. Wer mehrere Plätze in einem Kurs kauft, bekommt ein Platzkontingent und vergibt die Plätze an andere.

## One pool of seats

pool-taken = Vergebene Plätze: { $used } von { $seats }
pool-left = { $n } frei
pool-code = Code
pool-order = zur Bestellung, mit der sie bezahlt wurden
pool-batch = Die Adressen, die Sie gesendet haben
pool-holders = Wer einen Platz hat
pool-no-holders = Noch hat keine Adresse einen Platz. Geben Sie Adressen ein oder geben Sie den Code weiter.
pool-mail-failed = Die E-Mail kam nicht an:
pool-take-back = Platz zurücknehmen …
pool-take-back-pending = Der Platz wird wieder frei, und die Einladung gilt nicht mehr.
pool-take-back-enrolled = { $email } verliert den Zugang zu { $item }. Der Platz bleibt verbraucht.
pool-take-back-submit = Platz von { $email } zurücknehmen
pool-give = Plätze an Adressen vergeben
pool-give-help = Eine pro Zeile, höchstens 500. Wer ein Konto hat, wird angemeldet und per E-Mail benachrichtigt; jede andere Adresse bekommt eine Einladung.
pool-give-submit = Plätze vergeben
pool-remind = Erinnern
pool-remind-text = Schickt den 100 Adressen, die am längsten auf ihre Registrierung warten, eine E-Mail; jeder höchstens einmal am Tag.
pool-remind-submit = Nicht registrierte Adressen erinnern

### Batches of enrollments

batches-title = Sammelaufträge
batches-heading = Sammelaufträge für Kursanmeldungen
batches-submitted = Eingereicht am
batches-failed = Fehlgeschlagen
batches-none = Das Team von { $organisation } hat in den letzten 90 Tagen keinen Sammelauftrag eingereicht.
batches-new = Viele Adressen anmelden oder abmelden
batches-file = CSV-Datei
batches-file-help = Eine Spalte email und, wo sich die Zeilen unterscheiden, course_id, mode, action und language. Höchstens 5.000 Zeilen.
batches-paste = Oder die Zeilen einfügen
batches-course = Kurs für Zeilen ohne Kurs
batches-mode = Modus für Zeilen ohne Modus
batches-show = Zeilen anzeigen
batches-nothing-yet = Dabei geschieht noch nichts.

## Before a batch is submitted

rows-title = Einreichen?
rows-heading = { PLURAL($n) ->
    [one] { $n } Zeile einreichen?
   *[other] { $n } Zeilen einreichen?
}
rows-good = { PLURAL($n) ->
    [one] { $n } Zeile wird verarbeitet, eine nach der anderen. Wird eine Adresse ohne Konto angemeldet, bekommt sie eine Einladung.
   *[other] { $n } Zeilen werden verarbeitet, eine nach der anderen. Wird eine Adresse ohne Konto angemeldet, bekommt sie eine Einladung.
}
rows-faulty = { PLURAL($n) ->
    [one] { $n } Zeile kann aus den unten genannten Gründen nicht ausgeführt werden. Nur sie schlägt fehl; korrigieren Sie sie in der Datei oder lassen Sie sie so.
   *[other] { $n } Zeilen können aus den unten genannten Gründen nicht ausgeführt werden. Nur sie schlagen fehl; korrigieren Sie sie in der Datei oder lassen Sie sie so.
}
rows-back = Zurück, nichts einreichen
rows-submit = { PLURAL($n) ->
    [one] { $n } Zeile einreichen
   *[other] { $n } Zeilen einreichen
}
rows-some = Zeilen: { $shown } von { $total }, fehlerhafte zuerst
rows-fault = Fehler

## One batch

batch-title = Sammelauftrag
batch-all-rows = Alle Zeilen
batch-failed-rows = Fehlgeschlagene Zeilen
batch-download-failed = Fehlgeschlagene Zeilen herunterladen
batch-download-all = Alle Zeilen herunterladen
batch-result = Ergebnis
batch-none-failed = Keine Zeile ist fehlgeschlagen.
batch-no-rows = Auf dieser Seite sind keine Zeilen.

### The catalog: what the shop sells

catalog-title = Katalog
catalog-filter = Name oder Kurs-ID
catalog-intro = Änderungen sind innerhalb von Sekunden im Shop. Bestellungen, die schon aufgegeben sind, behalten ihren Preis. Ein Abgleich mit der Kursplattform behält, was hier eingestellt ist; ein Import kann es ersetzen.
catalog-not-published = nicht veröffentlicht
catalog-in-no-list = nicht gelistet
catalog-on-sale = im Verkauf
catalog-no-mode-on-sale = kein Modus im Verkauf
catalog-starts = beginnt am { $date }
catalog-publish = Veröffentlicht: Der Shop zeigt und verkauft den Kurs
catalog-hide = Nicht gelistet: nur mit dem Link zu finden
catalog-sell = Im Verkauf
catalog-save = Anzeige im Shop speichern
catalog-until = bis { $date }
catalog-from = ab { $date }
catalog-price = Preis in { $currency }
catalog-save-mode = { $mode } speichern
catalog-dated = Befristete Preise
catalog-dated-text = Berechnet wird der niedrigste Preis, der gilt. Geben Sie einen Preis oder einen Prozentsatz an. Eine leere Zeit ist keine Grenze.
catalog-dated-name = Name, etwa Frühbucher
catalog-dated-percent = Oder Nachlass in Prozent
catalog-dated-add = Befristeten Preis hinzufügen
catalog-waiting-list = Warteliste
catalog-waiting = Wartend: { $waiting }; Platz angeboten: { $offered }; gekauft: { $bought }; verfallen oder abgelehnt: { $lapsed }.
catalog-first-email = E-Mail-Adresse, die als Nächste an der Reihe ist
catalog-first = An den Anfang setzen
catalog-dated-remove = { $name } entfernen
catalog-no-mode = Der Kurs hat keinen Modus, deshalb wird nichts von ihm verkauft. Modi kommen von der Kursplattform oder aus einem Import.
catalog-none-found = Kein Kurs von { $organisation } hat dies in seinem Namen oder seiner Kurs-ID.
catalog-none = { $organisation } hat noch keine Kurse. Sie kommen von der Kursplattform oder aus einem Import, den der Betreiber einrichtet.

### Events, and the endpoints (addresses of other programs) that receive them

events-title = Ereignisse
events-disabled = deaktiviert
events-failing = gestört
events-enabled = aktiv
events-gets = Erhält { $types }.
events-waiting = { PLURAL($n) ->
    [one] { $n } Ereignis wartet.
   *[other] { $n } Ereignisse warten.
}
events-failing-since = Seit { $date } ist keine Zustellung gelungen.
events-disabled-on = Deaktiviert am { $date }:
events-enable-text = Lassen Sie zuerst den Empfänger reparieren. Wieder aktiviert, erhält der Endpunkt alles, was er verpasst hat.
events-enable = Aktivieren
events-change = Ereignistypen oder Signaturschlüssel ändern, Endpunkt entfernen
events-types = Ereignisse, die er erhält
events-save-types = Ereignistypen speichern
events-secret-text = Ein neuer Signaturschlüssel wird einmal angezeigt, auf der nächsten Seite. Einen Tag lang signiert der bisherige noch mit.
events-secret = Neuen Signaturschlüssel erzeugen
events-remove-text = { PLURAL($n) ->
    [one] Nach dem Entfernen erhält der Endpunkt keine Ereignisse mehr, und { $n } wartendes Ereignis wird nicht zugestellt. Im Feed bleiben alle erhalten.
   *[other] Nach dem Entfernen erhält der Endpunkt keine Ereignisse mehr, und { $n } wartende Ereignisse werden nicht zugestellt. Im Feed bleiben alle erhalten.
}
events-remove = { $url } entfernen
events-deliveries = Zustellungen an { $url }
events-event = Ereignis
events-happened = Zeitpunkt
events-attempts = Versuche
events-last-answer = Letzte Antwort
events-next = nächster Versuch am { $date }
events-failed = { PLURAL($n) ->
    [one] Der letzte Versuch von { $n } Ereignis ist gescheitert.
   *[other] Die letzten Versuche von { $n } Ereignissen sind gescheitert.
}
events-send-failed = Alle erneut senden
events-send-again = Erneut senden
events-send-this-again = { $type } vom { $date } erneut senden
events-none-yet = Für diesen Endpunkt gab es noch kein Ereignis.
events-none = { $organisation } hat keinen Endpunkt für Ereignisse. Ihre IT nennt eine Adresse; Ereignisse lassen sich auch aus dem Feed lesen.
events-new = Ereignisse an eine Adresse senden
events-new-text = Die nächste Seite zeigt einmal den Schlüssel, der die Ereignisse signiert.
events-new-submit = Ereignisse dorthin senden

## The page that shows a secret once

secret-title = Signaturschlüssel
secret-heading = Der Schlüssel, der die Ereignisse signiert
secret-text = Geben Sie ihn jetzt auf sicherem Weg an die IT des Empfängers weiter: Er lässt sich nicht noch einmal anzeigen. Geht er verloren, erzeugen Sie einen neuen. Der Schlüssel, den der Empfänger jetzt hat, signiert noch einen Tag lang mit.
secret-back = Zurück zu den Ereignissen

### The staff

staff-title = Team
staff-heading = Team von { $organisation }
staff-person = Person
staff-roles = Rollen
staff-since = Seit
staff-remove = Entfernen
staff-remove-person = { $email } aus dem Team entfernen
staff-add = Person hinzufügen oder ihre Rollen ändern
staff-email = E-Mail-Adresse ihres Kontos
staff-support = Kundenservice: E-Mails, Adressen, Kursanmeldungen, Warnungen
staff-finance = Finanzen: Erstattungen, Widerrufe, Berichte
staff-manager = Leitung: Gutscheine, Plätze, Sammelaufträge, das Team
staff-only-managers = Diese Liste ändert die Leitung Ihrer Organisation.

### What the last form did: one line at the top of the next page

done-receipt = Die Nachricht ist unterwegs.
done-address = Die Adresse wurde korrigiert, und was auf sie gewartet hat, ist umgezogen. Die neue Adresse bekommt ihre E-Mails von selbst: die Quittung und, ohne Konto, die Einladung.
done-alert = Die Warnung ist geschlossen.
done-invoice = Die Rechnung wurde korrigiert. Die neue ist zum Käufer unterwegs.
done-invoice-asked = Die Finanzabteilung ist gefragt. Bis dahin bleibt die Rechnung, wie sie ist.
done-invoice-refused = Die Anfrage ist abgelehnt. Die Rechnung bleibt, wie sie ist.
done-invitation = Die Einladung ist unterwegs.
done-refund = Die Erstattung läuft. Ihr Status steht unten.
done-payment = Die Zahlung ist gebucht.
done-refund-arrived = Die Erstattung ist angekommen.
done-refund-back = Die Erstattung kam zurück. Das Geld zählt wieder als Ihres.
done-payment-returned = Die Zahlung zählt nicht mehr.
done-payment-cancelled = Die Bestellung ist beendet.
done-document = Die Meldung ist vermerkt.
done-move = Die Umbuchung läuft. Der alte Zugang endet, sobald die Kursplattform den neuen bestätigt hat.
done-mails = Die E-Mail ist unterwegs.
done-enrollments = Die Kursplattform wird erneut angefragt.
done-withdrawal = Über den Widerruf ist entschieden.
done-dead-letters = Die Nachricht ist erledigt. Schlägt sie wieder fehl, kommt sie in diese Liste zurück.
done-staff = Das Team wurde geändert.
done-vouchers = { PLURAL($n) ->
    [one] { $n } Gutschein ist bereit.
   *[other] { $n } Gutscheine sind bereit.
}
done-voucher = Der Gutschein wurde geändert.
done-assigned = Die Adressen sind gespeichert und bekommen nacheinander ihre Plätze.
done-freed = Der Platz ist wieder frei.
done-revoked = Der Zugang ist beendet. Der Platz bleibt verbraucht.
done-no-seat = Die Adresse hatte keinen Platz mehr. Es wurde nichts geändert.
done-reminded = Wer noch nicht registriert ist und seit einem Tag keine E-Mail bekommen hat, wird erinnert.
done-none-reminded = Keine Adresse wurde erinnert: Jede ist registriert oder hat innerhalb eines Tages eine E-Mail bekommen.
done-batch = Die Zeilen sind gespeichert und werden nacheinander verarbeitet.
done-catalog = Der Kurs ist geändert. Der Shop zeigt es innerhalb von Sekunden.
done-endpoints = Der Endpunkt ist aktiviert. Er erhält die Ereignisse, die er verpasst hat.
done-endpoint-changed = Der Endpunkt ist geändert. Wenn Sie seinen Signaturschlüssel nicht gesehen haben, erzeugen Sie einen neuen.
done-deliveries = Das Ereignis ist wieder unterwegs.
done-deliveries-failed = Alle gescheiterten Ereignisse sind wieder unterwegs.
done-month = Der Monat ist abgeschlossen.

### What went wrong: a title, and the next step

problem-signed-out = Sie sind abgemeldet
problem-signed-out-text = Melden Sie sich in einem anderen Tab dieses Browsers an und kommen Sie dann hierher zurück. Es ist noch nichts geschehen.
problem-sign-in = Anmelden
problem-not-allowed = Das dürfen Sie nicht
problem-not-allowed-text = Bitten Sie die Leitung Ihrer Organisation um die Rolle oder gehen Sie zurück.
problem-not-found = Nicht gefunden
problem-not-found-text = Prüfen Sie den Link oder suchen Sie noch einmal.
problem-file = Das hat nicht geklappt
problem-file-text = Es ist nichts geschehen. Gehen Sie zurück und senden Sie eine kleinere Datei, als CSV.
problem-sent-before = Dieses Formular wurde schon gesendet
problem-sent-before-text = Es wurde damals mit anderen Angaben gesendet. Sehen Sie zuerst nach, was es bewirkt hat; senden Sie es von hier aus noch einmal, wird es neu ausgeführt.
problem-invalid = Das hat nicht geklappt
problem-invalid-text = Korrigieren Sie, was unten genannt ist, und senden Sie das Formular noch einmal, oder gehen Sie zurück.
problem-running = Diese Aktion läuft bereits
problem-running-text = Warten Sie einen Moment und sehen Sie dann nach, bevor Sie etwas wiederholen.
problem-contradiction = Das widerspricht dem, was vermerkt ist
problem-contradiction-text = Nichts wurde geändert. Vergleichen Sie es mit dem, was das andere System sagt.
problem-no-answer = Noch keine Antwort
problem-no-answer-text = Es kann noch geschehen. Sehen Sie noch einmal nach; senden Sie dieses Formular erneut, geschieht nichts doppelt.
problem-too-many = Zu viele Anfragen
problem-too-many-text = Warten Sie einen Moment und senden Sie es dann noch einmal.
problem-unavailable = Das geht gerade nicht
problem-unavailable-text = Es ist nichts geschehen. Versuchen Sie es gleich noch einmal; senden Sie dieses Formular erneut, geschieht nichts doppelt.
problem-send-again = Dieses Formular erneut senden
problem-start = Zur Startseite
problem-email = E-Mail-Adresse

## Faults of a form: what is wrong with { $field }. { $fault } is English.

problem-fault = { $field }: { $fault }.
fault-order = Bestellung
fault-address = Adresse
fault-reason = Grund
fault-amount = Betrag
fault-reference = Die Referenz
fault-day = Der Tag
fault-enrollment = Kursanmeldung
fault-mail = E-Mail
fault-message = Nachricht
fault-endpoint = Endpunkt
fault-event = Ereignis
fault-line = Position
fault-course = Kurs
fault-waive = Häkchen für den abweichenden Preis
fault-file = Datei

## Refusals as sentences. The key of each is what the programs say in English.

refusal-your-account-lacks-the-role-support = Ihrem Konto fehlt die Rolle Kundenservice.
refusal-your-account-lacks-the-role-finance = Ihrem Konto fehlt die Rolle Finanzen.
refusal-your-account-lacks-the-role-manager = Ihrem Konto fehlt die Rolle Leitung.
refusal-is-required-for-the-record = Bitte angeben, für das Protokoll: { $field }.
refusal-is-not-an-email-address = Das ist keine E-Mail-Adresse: { $field }.
refusal-is-not-a-number-such-as-12-50 = „{ $field }“ ist keine Zahl wie 12,50.
refusal-is-not-clear-write-1000-for-a-thousand-and-1-00-for-one = „{ $field }“ ist nicht eindeutig: Schreiben Sie 1000 für tausend und 1,00 für eins.
refusal-is-the-order-s-address-already = Die Bestellung hat diese Adresse schon.
refusal-was-bought-by-an-account-whose-owner-changes-the-address-at-the-course-platform = Ein Konto hat sie gekauft: Dessen Inhaber ändert die Adresse auf der Kursplattform.
refusal-waits-for-its-payment-or-has-ended-only-an-order-that-is-complete-can-be-corrected = Die Bestellung wartet auf ihre Zahlung oder ist beendet. Nur eine vollständige lässt sich korrigieren.
refusal-has-opened-a-course-under-this-address-already-or-was-upgraded-or-moved = Unter dieser Adresse wurde schon ein Kurs freigeschaltet, oder es gab ein Upgrade oder einen Umzug.
refusal-has-the-same-order-already = Diese Adresse hat dieselbe Bestellung schon.
refusal-is-not-a-course-of-the-organisation = Ihre Organisation hat keinen Kurs mit dieser ID.
refusal-is-not-on-sale-in-this-mode-or-the-buyer-has-it-already = Der Kurs ist in diesem Modus nicht im Verkauf, oder der Käufer hat ihn schon.
refusal-gives-no-access-that-can-be-moved = Die Position gibt keinen Zugang, der umziehen kann.
refusal-is-what-the-line-gives-already = Das gibt die Position schon.
refusal-leads-to-what-this-person-has-already = Die Person hat diesen Kurs schon.
refusal-is-sold-out = Der Kurs ist ausverkauft.
refusal-is-being-moved-the-course-platform-has-not-confirmed-it-yet = Die Position zieht gerade um: Die Kursplattform hat es noch nicht bestätigt.
refusal-has-no-invoice = Die Bestellung hat keine Rechnung.
refusal-has-refunds-so-its-invoice-stays-as-it-is = Die Bestellung hat Erstattungen, daher bleibt ihre Rechnung, wie sie ist.
refusal-was-corrected-three-times-already = Die Rechnung wurde schon dreimal korrigiert.
refusal-changes-the-tax-refund-the-order-and-sell-it-again = Diese Adresse ändert die Steuer: Erstatten Sie die Bestellung, und verkaufen Sie sie neu.
refusal-waits-for-no-other-invoice = Zu dieser Bestellung ist die Finanzabteilung nicht mehr gefragt.
refusal-has-no-receipt-it-is-not-paid-or-its-courses-are-not-open-yet = Es gibt keine Quittung: Die Bestellung ist nicht bezahlt, oder ihre Kurse sind noch nicht freigeschaltet.
refusal-has-no-open-alert = Zur Zahlung gibt es keine offene Warnung mehr.
refusal-is-the-last-manager-an-operator-can-change-that = Das ist die letzte Person mit der Rolle Leitung; das kann ein Betreiber ändern.
refusal-is-not-over-yet = Der Monat ist noch nicht vorbei.
refusal-is-closed-already = Der Monat ist schon abgeschlossen.
refusal-is-not-a-month-such-as-2026-11 = „{ $field }“ ist kein Monat wie 2026-11.
refusal-is-not-of-an-account-that-has-bought-or-enrolled-here-an-operator-can-add-it = Kein Konto mit dieser Adresse hat hier gekauft oder ist hier eingeschrieben; ein Betreiber kann es hinzufügen.
