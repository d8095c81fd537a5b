# German. Address the reader as Sie.

### Mails

## Every mail

mail-order = Bestellung { $order }
mail-invoice-attached = Die Rechnung { $number } ist angehängt.
mail-credit-note-attached = Die Rechnungskorrektur { $number } ist angehängt.
mail-open-course = Zum Kurs
mail-begins = Beginn, auch in der angehängten Kalenderdatei:
mail-begins-at = { $course }: { $moment } ({ $zone })
mail-open-invoice = Rechnung ansehen
mail-open-credit-note = Rechnungskorrektur ansehen
mail-create-account = Konto anlegen
mail-reason = { $organisation } schickt Ihnen diese Nachricht, weil es unter dieser Adresse eine Bestellung oder eine Kursanmeldung gibt.
mail-contact = Fragen? Antworten Sie auf diese Nachricht, oder schreiben Sie an { $email }.

## Receipt: after an order was paid or was free

receipt-subject = Ihr Beleg von { $organisation }
receipt-heading = Vielen Dank für Ihren Einkauf
receipt-bought = Das haben Sie am { $date } bei { $organisation } gekauft:
receipt-voucher = Mit dem Gutschein { $code } haben Sie { $amount } gespart.
receipt-courses = Ihre Kurse finden Sie in Ihrem Konto. Wenn Sie noch keines haben, zeigt Ihnen eine weitere Nachricht, wie Sie es mit dieser E-Mail-Adresse anlegen.
receipt-agreed = Am { $date } haben Sie zugestimmt:
receipt-agreed-terms = den AGB
receipt-agreed-version = den AGB, Fassung { $version }
receipt-agreed-begin = dass wir vor Ablauf der Widerrufsfrist beginnen, wie Sie es ausdrücklich verlangt haben
receipt-agreed-service = dass Ihr Widerrufsrecht erlischt, sobald die Dienstleistung vollständig erbracht ist
receipt-agreed-content = dass Ihr Widerrufsrecht dadurch erlischt

invoice-subject = Ihre Rechnung von { $organisation }
invoice-heading = Vielen Dank für Ihre Bestellung
invoice-ordered = Das haben Sie am { $date } bei { $organisation } bestellt:
invoice-pay = Bitte überweisen Sie { $amount } bis zum { $date } auf dieses Konto. Geben Sie die Referenz { $reference } an.
cancelled-subject = Ihre Rechnung von { $organisation } wurde storniert
cancelled-heading = Ihre Rechnung wurde storniert
cancelled-text = Die Bestellung wurde storniert: Es ist nichts zu zahlen, und die Kurse sind nicht mehr zugänglich.
transfer-subject = So bezahlen Sie Ihre Bestellung bei { $organisation }
document-again-subject = Ihr Dokument von { $organisation }
document-again-heading = Hier ist Ihr neuer Link
document-again-text = Auf der Seite dieses Dokuments wurde ein neuer Link angefordert. Frühere Links brauchen Sie nicht aufzubewahren.
document-follows-subject = Ihr Dokument von { $organisation }
document-follows-heading = Hier ist Ihr Dokument
document-follows-text = Es gehört zu dieser Bestellung. Falls Sie schon eine frühere Fassung haben, tritt es an deren Stelle.

## An invoice that was corrected

corrected-subject = Ihre korrigierte Rechnung von { $organisation }
corrected-heading = Ihre Rechnung wurde korrigiert
corrected-text = Die neue Rechnung tritt an die Stelle der bisherigen. Sonst ändert sich an Ihrer Bestellung nichts.

## A place that has moved to another course or person

moved-subject = Eine Änderung Ihrer Bestellung bei { $organisation }
moved-heading = Ihr Platz ist umgezogen
moved-to-course = Aus Ihrem Platz in { $from } ist einer in { $to } geworden. Dafür wird nichts berechnet und nichts erstattet.
moved-to-person = Ihr Platz in { $to } gehört jetzt wie gewünscht einer anderen Person. Dafür wird nichts berechnet und nichts erstattet.
access-ends-subject = Ihr Zugang zu einem Kurs bei { $organisation } endet bald
access-ends-heading = Ihr Zugang endet bald
access-ends-text = Der { $date } ist der letzte Tag Ihres Zugangs zu { $course }.
access-ends-again = Wenn Sie ihn noch einmal kaufen, schließt die neue Zeit an die jetzige an.
access-over-subject = Ihr Zugang zu einem Kurs bei { $organisation } ist beendet
access-over-heading = Ihr Zugang ist beendet
access-over-text = Der { $date } war der letzte Tag Ihres Zugangs zu { $course }.
access-buy-again = Noch einmal kaufen

## The waiting list of a full course

waiting-confirm-subject = Ein Platz in einem Kurs bei { $organisation }: bitte bestätigen
waiting-confirm-heading = Möchten Sie auf einen Platz warten?
waiting-confirm-text = { $course } ist ausgebucht. Sie oder eine andere Person mit dieser Adresse haben darum gebeten, benachrichtigt zu werden, sobald ein Platz frei ist. Wenn Sie es nicht waren, brauchen Sie nichts zu tun: Die Adresse wird dann nach einer Woche gelöscht.
waiting-listed-subject = Sie stehen auf der Warteliste von { $organisation }
waiting-listed-heading = Sie stehen auf der Warteliste
waiting-listed-text = Wenn in { $course } ein Platz frei wird und Sie an der Reihe sind, erhalten Sie eine E-Mail. Der Platz wird dann eine Zeit lang für Sie freigehalten.
waiting-leave-hint = Sie können die Liste jederzeit verlassen:
waiting-offered-subject = In einem Kurs bei { $organisation } ist ein Platz frei
waiting-offered-heading = Ein Platz ist für Sie frei
waiting-offered-text = In { $course } wird für Sie bis zum { $date } um { $time } ({ $zone }) ein Platz freigehalten. Danach geht er an die nächste Person.
waiting-code = Der Code { $code } gibt den Platz nur für diese E-Mail-Adresse frei.

## Refund

refund-subject = Ihre Erstattung von { $organisation }
refund-heading = Ihre Erstattung über { $amount }
refund-lines = { $organisation } hat Ihnen { $amount } für Ihre Bestellung erstattet:
refund-time = Das Geld geht auf dem Weg zurück, auf dem Sie bezahlt haben. Es kann bis zu zehn Tage dauern, bis es ankommt.

## Invitation: to somebody who has courses but no account yet

invitation-subject = Ihr Platz bei { $organisation }
invitation-heading = Ein Platz ist für Sie reserviert
invitation-courses = { $organisation } hat für Sie einen Platz reserviert in:
invitation-how = Legen Sie mit dieser E-Mail-Adresse Ihr Konto an, um mit dem Lernen zu beginnen.
invitation-afterwards = Ihre Kurse erscheinen in Ihrem Konto, sobald es aktiv ist. Wenn Sie schon ein Konto unter einer anderen Adresse haben, legen Sie eines unter dieser an oder bitten Sie { $organisation }, sie zu ändern.
invitation-unexpected = Wenn Sie diese Nachricht nicht erwartet haben, können Sie sie ignorieren: Ohne Sie geschieht nichts.

## Seats ready: to somebody who bought places for others

seats-subject = Ihre Plätze von { $organisation }
seats-heading = { PLURAL($seats) ->
    [one] Ihr Platz ist bereit
   *[other] Ihre { $seats } Plätze sind bereit
}
seats-ready = { PLURAL($seats) ->
    [one] Sie können jetzt { $seats } Platz in { $item } von { $organisation } vergeben.
   *[other] Sie können jetzt { $seats } Plätze in { $item } von { $organisation } vergeben.
}
seats-manage = Weisen Sie sie Personen über deren E-Mail-Adressen zu, sehen Sie, wer einen Platz hat, und nehmen Sie Plätze zurück.
seats-open = Plätze verwalten
seats-link = Dieser Link öffnet Ihre Plätze ein Jahr lang. Geben Sie ihn nur an Personen weiter, die sie verwalten dürfen.
seats-code = Schicken Sie anderen diesen Code: Wer { $item } mit diesem Code bestellt, belegt einen Platz. Jede Person kann genau einen belegen.
seats-code-too = Oder schicken Sie anderen diesen Code: Wer { $item } mit diesem Code bestellt, belegt einen Platz. Jede Person kann genau einen belegen.

## Seat assigned: to somebody for whom another person has bought a place. { $giver } is that person's address, or the seller

seat-subject = Ihr Platz bei { $organisation }
seat-heading = Sie haben einen Platz in { $item }
seat-heading-reminder = Ihr Platz in { $item } wartet noch auf Sie
seat-given = { $giver } hat Ihnen einen Platz in { $item } bei { $organisation } gegeben.
seat-in-account = Sie finden ihn in Ihrem Konto.
seat-afterwards = Ihre Kurse erscheinen in Ihrem Konto, sobald es aktiv ist. Wenn Sie schon ein Konto unter einer anderen Adresse haben, bitten Sie { $giver }, diese zu verwenden.
seat-unexpected = Wenn Sie diese Nachricht nicht erwartet haben, können Sie sie ignorieren.
gift-subject = Ein Geschenk für Sie bei { $organisation }
gift-heading = { $giver } schenkt Ihnen { $item }
gift-planned-heading = Ihr Geschenk ist bereit
gift-planned = { $recipient } bekommt den Platz am { $date }.
gift-given-now = Es ist auf dem Weg zu { $recipient }.
gift-change = Bis dahin können Sie ihn jemand anderem geben.

## Withdrawal from the contract

withdrawal-subject = Ihr Widerruf bei { $organisation }
withdrawal-heading = Ihr Widerruf ist eingegangen
withdrawal-received = { $organisation } hat Ihren Widerruf am { $date } um { $time } erhalten:
withdrawal-name = Name: { $name }
withdrawal-email = E-Mail: { $email }
withdrawal-keep = Bitte bewahren Sie diese Nachricht auf: Sie bestätigt, was Sie wann erklärt haben.
withdrawal-unproved = Bisher ist nicht nachgewiesen, dass Sie der Käufer sind. Der Widerruf gilt ab der oben genannten Zeit und wird am { $date } ausgeführt. Wenn Sie ihn nicht erklärt haben, sagen Sie es vorher. Dann geschieht nichts, bis { $organisation } Sie gefragt hat.
withdrawal-object = Diesen Widerruf habe ich nicht erklärt
withdrawal-refused-subject = Ihr Widerruf bei { $organisation } wurde nicht angenommen
withdrawal-refused-heading = Ihr Widerruf wurde nicht angenommen
withdrawal-refused = { $organisation } hat den Widerruf geprüft, den Sie am { $date } erklärt haben, und ihn nicht angenommen:
withdrawal-disagree = Wenn Sie damit nicht einverstanden sind, schreiben Sie bitte an { $organisation }.

### Mails, pages and invoices

item-seats = { PLURAL($seats) ->
    [one] { $item }, { $seats } Platz
   *[other] { $item }, { $seats } Plätze
}
order-tax = Steuer
order-tax-included = davon Steuer
order-total = Gesamtbetrag
# The link of receipts, and the title of the page to which it leads.
withdraw-here = Vertrag widerrufen

# The buttons of mails about a waiting list, and of the page to which they lead.
waiting-confirm = Ja, auf die Warteliste setzen
waiting-leave = Warteliste verlassen
waiting-buy = Platz nehmen
waiting-decline = Ich möchte ihn nicht

### Pages

## The payment page

page-payment = Zahlung – { $organisation }
page-your-order = Ihre Bestellung
page-pay = { $amount } zahlen
page-loading = Wird geladen …
page-moment = Einen Moment …
page-back = Zurück zu { $shop }
page-no-script = Zum Bezahlen braucht es JavaScript, das in Ihrem Browser ausgeschaltet ist.
page-no-provider = Der Zahlungsdienst ist nicht erreichbar. Bitte laden Sie diese Seite gleich noch einmal.
page-failed = Diese Zahlung hat nicht geklappt. Bitte versuchen Sie es noch einmal oder nehmen Sie eine andere Karte.
page-unfinished = Die Zahlung wurde nicht abgeschlossen.
page-again = Das hat nicht geklappt. Bitte versuchen Sie es noch einmal.
page-confirming = Wir warten auf die Bestätigung Ihrer Zahlung …
page-unconfirmed = Ihre Zahlung ist noch nicht bestätigt. Sie bekommen eine Nachricht, sobald sie es ist. Bitte zahlen Sie nicht noch einmal.
page-transfer = Bitte überweisen Sie { $amount } bis zum { $date } auf dieses Konto. Geben Sie die Referenz an, damit wir Ihre Zahlung zuordnen können.
page-transfer-account = Konto
page-transfer-reference = Referenz
transfer-code = Scannen Sie diesen Code mit Ihrer Banking-App, um die Überweisung auszufüllen.
page-transfer-partly = Eingegangen: { $received }. Noch zu zahlen: { $open }.
page-transfer-later = Sie bekommen eine Nachricht, sobald Ihre Zahlung eingegangen ist; dann werden Ihre Kurse freigeschaltet.

## The standing of an order: a word for lists, sentences for its buyer

standing-open = nicht abgeschlossen
standing-waiting = wartet auf die Zahlung
standing-at-bank = wartet auf die Bank
standing-transfer = wartet auf die Überweisung
standing-on-account = Rechnung offen
standing-overdue = Rechnung überfällig
standing-opening = bezahlt
standing-registration = wartet auf die Registrierung
standing-refused = Zugang abgelehnt
standing-complete = abgeschlossen
standing-ended = Zugang beendet
standing-partly-refunded = teilweise erstattet
standing-refunded = erstattet
standing-disputed = Zahlung angefochten
standing-lost = von der Bank zurückgeholt
standing-cancelled = storniert
standing-expired = abgelaufen
standing-replaced = ersetzt
standing-payment-open = Diese Bestellung ist noch nicht abgeschlossen. Sie können im Shop weitermachen.
standing-payment-free = Ihre Bestellung ist abgeschlossen.
standing-payment-waiting = Ihre Zahlung ist noch nicht bestätigt. Diese Seite zeigt, sobald sie da ist.
standing-payment-at-bank = Wir warten auf Ihre Bank, was einige Tage dauern kann. Sie bekommen eine Nachricht, sobald Ihre Zahlung eingegangen ist. Bitte zahlen Sie nicht noch einmal.
standing-payment-transfer = Wir warten auf Ihre Überweisung. Sie bekommen eine Nachricht, sobald sie eingegangen ist.
standing-payment-on-account = Bitte zahlen Sie die Rechnung bis zu ihrer Fälligkeit.
standing-payment-overdue = Die Rechnung ist überfällig. Bitte zahlen Sie sie jetzt.
standing-payment-paid = Vielen Dank, Ihre Zahlung ist eingegangen.
standing-payment-partly-refunded = Ein Teil dieser Bestellung wurde erstattet.
standing-payment-refunded = Diese Bestellung wurde erstattet.
standing-payment-disputed = Ihre Bank soll diese Zahlung zurückholen und hat noch nicht entschieden.
standing-payment-lost = Ihre Bank hat diese Zahlung zurückgeholt.
standing-payment-cancelled = Diese Bestellung wurde beendet. Sie können im Shop von vorn beginnen.
standing-payment-expired = Diese Bestellung wurde nicht rechtzeitig bezahlt. Sie können im Shop von vorn beginnen.
standing-payment-replaced = Diese Bestellung wurde durch eine andere ersetzt, und Ihre Bank arbeitet noch an ihrer Zahlung. Bitte zahlen Sie sie nicht noch einmal.
standing-access-opening = Ihre Kurse werden gerade freigeschaltet.
standing-access-registration = Ihre Kurse werden freigeschaltet, sobald Sie sich mit Ihrer Adresse registrieren.
standing-access-open = Ihre Kurse sind in Ihrem Konto.
standing-access-seats = Sie können die Plätze vergeben.
standing-access-refused = Die Kursplattform hat den Zugang abgelehnt; der Anbieter kümmert sich darum.
standing-access-ended = Der Zugang zu den Kursen ist beendet.
standing-access-account = Ihre Kurse sind im Konto mit Ihrer Adresse, sobald es besteht.
status-replaced = Diese Zahlung wurde durch eine andere ersetzt. Bitte schließen Sie jene ab oder beginnen Sie im Shop von vorn.

## The page of withdrawal, in two steps. Article 11a of Directive 2011/83/EU asks for the words of withdraw-here (above) and
## withdraw-confirm, or others as unambiguous: these are those of its official version, where the language has one

withdraw-confirm = Widerruf bestätigen
withdraw-intro = Mit diesem Formular widerrufen Sie einen Vertrag. Sie brauchen kein Konto und müssen keine Gründe nennen.
withdraw-intro-shop = Mit diesem Formular widerrufen Sie Ihren Vertrag mit { $organisation }. Sie brauchen kein Konto und müssen keine Gründe nennen.
withdraw-link-expired = Der Link, dem Sie gefolgt sind, gilt nicht mehr. Sie können Ihren Widerruf trotzdem hier erklären.
withdraw-order = Bestell- oder Rechnungsnummer
withdraw-order-hint = So, wie sie auf Ihrem Beleg steht.
withdraw-name = Ihr Name
withdraw-email = Ihre E-Mail-Adresse
withdraw-email-hint = Die Adresse Ihrer Bestellung. Dorthin bestätigen wir den Widerruf.
withdraw-items = Was widerrufen Sie?
withdraw-item = Kurs oder Programm
withdraw-continue = Weiter
withdraw-check = Bitte prüfen Sie Ihre Erklärung: Ich widerrufe den Vertrag über diese Bestellung.
withdraw-change = Ändern
withdraw-correct = Bitte korrigieren Sie:
withdraw-no-order = Geben Sie die Nummer Ihrer Bestellung oder Rechnung ein.
withdraw-no-name = Geben Sie Ihren Namen ein.
withdraw-no-email = Geben Sie Ihre E-Mail-Adresse ein, zum Beispiel name@example.com.
withdraw-no-item = Wählen Sie mindestens eines aus.
withdraw-received = Ihr Widerruf ist eingegangen
withdraw-received-at = Wir haben Ihre Erklärung am { $date } um { $time } erhalten.
withdraw-acknowledged = Nennt sie eine Bestellung dieser Adresse, erhalten Sie eine Bestätigung mit ihrem Inhalt per E-Mail.
withdraw-confirmed = Sie erhalten eine Bestätigung mit ihrem Inhalt per E-Mail.
withdraw-objection = Haben Sie das nicht erklärt?
withdraw-objection-text = Jemand hat den Widerruf Ihrer Bestellung erklärt und nicht nachgewiesen, dass Sie es sind. Wenn Sie es nicht waren, sagen Sie es hier. Dann geschieht nichts, bis der Verkäufer bei Ihnen nachgefragt hat.
withdraw-objected = Danke. Der Verkäufer sieht sich das zuerst an; bis dahin bleibt Ihre Bestellung, wie sie ist.
withdraw-object-late = Hier gibt es nichts mehr einzuwenden: Über diesen Widerruf wurde schon entschieden, er wurde zurückgenommen oder bestritten, oder der Link gilt nicht mehr.

## The page of a waiting list

waiting-page-title = Warteliste
waiting-page-full = { $course } ist ausgebucht. Möchten Sie benachrichtigt werden, sobald ein Platz frei ist?
waiting-page-listed = Sie stehen auf der Warteliste von { $course }. Sie erhalten eine E-Mail, sobald Sie an der Reihe sind.
waiting-page-offered = In { $course } wird für Sie bis zum { $date } um { $time } ({ $zone }) ein Platz freigehalten.
waiting-page-ended = Sie stehen nicht oder nicht mehr auf der Warteliste dieses Kurses.

## The page for buying what a link of the course platform names

buy-seats-offer = Plätze für andere, Preis pro Platz
buy-upgrade = Upgrade von { $mode }
buy-voucher-accepted = Der Code { $code } ist eingelöst.
buy-voucher-refused = Der Code { $code } gilt nicht für diese Bestellung. Dies ist der Preis ohne ihn.
buy-seats = Anzahl der Plätze
buy-name = Name
buy-line1 = Straße und Hausnummer
buy-line2 = Adresszusatz
buy-city = Ort
buy-state = Bundesland oder Provinz
buy-postal-code = Postleitzahl
buy-country = Land (zwei Buchstaben, zum Beispiel DE)
buy-consent-terms = Ich stimme den AGB zu.
buy-consent-begin-now = Ich möchte beginnen, bevor die Widerrufsfrist abgelaufen ist.
buy-consent-loses-right = Mir ist bekannt, dass ich dadurch mein Widerrufsrecht verliere.
buy-terms = AGB
buy-enroll = Zum Kurs anmelden
buy-continue = Weiter zur Zahlung
buy-back = Zurück zu Ihren Kursen

## Instead of that page

buy-not-sold = Das wird hier nicht verkauft
buy-not-sold-text = Der Kurs oder sein Zertifikat kann hier nicht oder nicht mehr gekauft werden. Gehen Sie zurück zum Kurs und öffnen Sie die Seite von dort noch einmal.
buy-apart = Bitte kaufen Sie diese Kurse einzeln
buy-apart-text = Verschiedene Anbieter verkaufen diese Kurse. Öffnen Sie jeden Kurs und kaufen Sie ihn dort.
buy-inactive = Bitte bestätigen Sie Ihre E-Mail-Adresse
buy-inactive-text = Bei der Registrierung haben Sie eine E-Mail mit einem Link bekommen. Öffnen Sie diesen Link und kommen Sie dann auf diese Seite zurück.
buy-held = Das haben Sie schon
buy-held-text = Es gibt nichts zu bezahlen. Der Kurs ist in Ihrem Konto.
buy-refused = Das kann gerade nicht gekauft werden
buy-refused-text = Der Kurs ist vielleicht ausgebucht, für Anmeldungen geschlossen oder schon in Ihrem Konto.
buy-faulty = Bitte prüfen Sie Ihre Angaben
buy-faulty-text = Gehen Sie zurück und korrigieren Sie:
# $label is buy-seats.
buy-faulty-seats = { $label } (von 1 bis { $most })
buy-signed-out = Bitte melden Sie sich noch einmal an
buy-signed-out-text = Ihre Sitzung ist abgelaufen. Öffnen Sie die Seite noch einmal von Ihrem Kurs aus.
buy-not-admitted = Bei diesem Anbieter können Sie nicht kaufen
buy-not-admitted-text = Er verkauft nur an seine eigenen Lernenden. Bitten Sie ihn um Zugang.
buy-no-payments = Dieser Shop nimmt noch keine Zahlungen an
buy-no-payments-text = Bitte versuchen Sie es später noch einmal oder fragen Sie den Anbieter.
buy-failed-text = Bitte öffnen Sie sie gleich noch einmal. Ihnen wurde nichts berechnet.

## The page of a learner's orders

history-title = Ihre Bestellungen
history-none = Sie haben noch nichts gekauft.
history-refunded = { $amount } erstattet
history-invoice = Rechnung { $number }
history-credit-note = Rechnungskorrektur { $number }

## Instead of a page that cannot be shown

problem-expired = Dieser Link ist abgelaufen
problem-expired-text = Links zu einer Bestellung gelten nur kurze Zeit. Wenn Sie bezahlt haben, müssen Sie nichts weiter tun: Ihre Kurse werden freigeschaltet, sobald die Zahlung eingeht, und Sie bekommen einen Beleg per E-Mail. Um Ihre Bestellung zu sehen oder noch zu bezahlen, gehen Sie zurück zum Shop und melden Sie sich an.
problem-invalid = Dieser Link gilt nicht mehr
problem-invalid-text = Links zu einer Bestellung gelten nur kurze Zeit. Bitte melden Sie sich an und öffnen Sie die Bestellung im Shop noch einmal.
problem-not-found = Bestellung nicht gefunden
problem-not-found-text = Diese Bestellung gibt es nicht, oder sie gehört Ihnen nicht. Bitte prüfen Sie den Link.
problem-too-many = Zu viele Anfragen
problem-too-many-text = Bitte warten Sie einen Moment und öffnen Sie die Seite dann noch einmal.
problem-other = Diese Seite kann gerade nicht angezeigt werden
problem-other-text = Bitte öffnen Sie sie gleich noch einmal. Ihre Bestellung ist davon nicht betroffen.
problem-unseen = Sie sind hier nicht angemeldet
problem-unseen-text = Die Plattform hat Sie angemeldet, aber Ihr Browser teilt es dieser Seite nicht mit. Erlauben Sie Cookies für diese Website und öffnen Sie die Seite dann noch einmal.
problem-again-text = Bitte öffnen Sie sie gleich noch einmal.
problem-document-text = Links zu Rechnungen und Rechnungskorrekturen gelten 90 Tage, und nur vollständig. Wir können einen neuen an die Adresse schicken, die die erste Nachricht bekommen hat.
problem-document-send = Neuen Link schicken
problem-document-sent = Ein neuer Link ist unterwegs
problem-document-sent-text = Bitte sehen Sie in das Postfach, in dem die erste Nachricht angekommen ist. Es kann einige Minuten dauern; am Tag werden höchstens drei Nachrichten verschickt.
problem-invitation = Dieser Link ist unvollständig
problem-invitation-text = Bitte öffnen Sie die Nachricht noch einmal und nehmen Sie den Knopf darin, oder kopieren Sie den ganzen Link. Sie können Ihr Konto auch ohne ihn anlegen: mit der Adresse, die die Nachricht bekommen hat. Ihre Kurse erscheinen dann dort.

### Invoices and credit notes

document-invoice = Rechnung
document-credit-note = Rechnungskorrektur
document-number = Nummer
document-for-invoice = Zur Rechnung
document-issued = Ausstellungsdatum
document-supplied = Leistungsdatum
document-place-of-supply = Ort der Leistung
document-order = Bestellung
document-reference = Referenz
document-paid-through = Bezahlt über
document-due = Fällig am
document-payment-reference = Zahlungsreferenz
document-pay-to = Bitte zahlen Sie auf dieses Konto: { $account }
document-bank-transfer = Überweisung
document-billed-to = Rechnung an
document-tax-id = USt-IdNr. { $number }
document-description = Beschreibung
document-quantity = Menge
document-each = je { $price }, ohne Steuer
document-net = Netto
document-rate = Satz
document-tax = Steuer
document-total = Gesamtbetrag
document-total-credited = Korrekturbetrag
# Such as: USt 19 % of 200.00. The tax's name is the seller's legal word for it.
document-tax-of = { $tax } { $rate } auf { $net }
document-converted-tax = Steuer in { $currency }: { $amount } (1 { $base } = { $rate } { $currency }, { $day }, { $source })
document-page = Seite { $page } von { $pages }
# { $mode } is the kind of enrollment, such as verified; it is not translated.
document-line = { $item } ({ $mode })
document-line-seats = { $item } ({ $mode }, Plätze)
document-line-upgrade = { $item } ({ $mode }, Upgrade von { $from })
document-voucher = Der Gutschein { $code } hat die Preise um { $amount } verringert.
document-reverse-charge = Steuerschuldnerschaft des Leistungsempfängers: Der Empfänger der Leistung schuldet die Umsatzsteuer.
document-cleared-number = Nummer der Behörde
document-cleared = Freigegeben
document-cleared-code = Scannen Sie diesen Code, um dieses Dokument bei der Behörde zu prüfen.
document-check-code = Scannen Sie diesen Code, um dieses Dokument zu prüfen.

### The example shop

## On every page

shop-name = Beispielshop
shop-skip = Zum Inhalt springen
shop-courses = Kurse
shop-programs = Programme
shop-basket = Warenkorb
shop-my-orders = Meine Bestellungen
shop-my-seats = Meine Plätze
shop-sign-in = Anmelden
shop-sign-out = Abmelden
shop-footer = Kurse mehrerer Anbieter in einem Shop. Sie lernen auf deren Kursplattform, mit einem einzigen Konto.
shop-language = Sprache
shop-language-set = Wechseln
shop-country-demo = Land (Vorführung)
shop-country-none = Nicht gewählt
shop-country-set = Setzen

## Lists

shop-hero-title = Lernen Sie von Menschen aus der Praxis
shop-hero-text = Kurse unabhängiger Akademien, auf Wunsch mit Zertifikat. Fangen Sie heute an, in Ihrem eigenen Tempo.
shop-search = Suchen
shop-search-hint = Statistik, Tischlern, Sanskrit …
shop-courses-count = { PLURAL($count) ->
    [one] { $count } Kurs
   *[other] { $count } Kurse
}
shop-programs-count = { PLURAL($count) ->
    [one] { $count } Programm
   *[other] { $count } Programme
}
shop-organisations-count = { PLURAL($count) ->
    [one] { $count } Akademie
   *[other] { $count } Akademien
}
shop-filter-organisation = Nach Akademie filtern
shop-filter-topic = Nach Thema filtern
shop-filter-all = Alle
shop-sort = Sortieren nach
shop-sort-new = Neueste
shop-sort-rating = Bewertung
shop-sort-price = Preis
shop-sort-name = Name
shop-sort-set = Sortieren
shop-pages = Seiten
shop-pages-back = Zurück
shop-pages-next = Weiter
shop-nothing-found = Nichts gefunden
shop-nothing-found-hint = Versuchen Sie es mit weniger Wörtern oder einem anderen Thema.
shop-show-all = Alle zeigen
shop-programs-offer = Mehrere Kurse zusammen belegen und sparen
shop-programs-all = Alle Programme
shop-new = Neu
shop-free = kostenlos
shop-instead-of = statt
shop-price-until = { $name }, bis { $date }
shop-lowest-before = Niedrigster Preis der letzten 30 Tage davor: { $amount }
shop-about = etwa { $amount }
shop-percent-off = −{ $percent }
shop-rated = Mit { $rating } von 5 bewertet
shop-not-for-sale = Zurzeit nicht zu kaufen

## A course or a program

shop-self-paced = In Ihrem eigenen Tempo
shop-scheduled = Mit festen Terminen
shop-outline = Inhalt
shop-outline-size = { PLURAL($sections) ->
    [one] { $sections } Abschnitt
   *[other] { $sections } Abschnitte
}, { PLURAL($lessons) ->
    [one] { $lessons } Lektion
   *[other] { $lessons } Lektionen
}
shop-lessons = { PLURAL($count) ->
    [one] { $count } Lektion
   *[other] { $count } Lektionen
}
shop-access-days = { PLURAL($days) ->
    [one] { $days } Tag Zugang
   *[other] { $days } Tage Zugang
}
shop-access-until = Zugang bis { $date }
shop-reviews = Was Lernende sagen
shop-choose = Wählen Sie, wie Sie lernen
shop-seats-offer = Plätze für ein Team kaufen
shop-seats-number = Zahl der Plätze für andere
shop-gift-offer = Als Geschenk kaufen
shop-gift = Ein Geschenk
shop-gift-hint = Die beschenkte Person bekommt Platz und Nachricht an dem Tag, den Sie wählen. Ohne Adresse vergeben Sie den Platz selbst.
shop-gift-email = Adresse der beschenkten Person
shop-gift-giver = Ihr Name, wie sie ihn liest
shop-gift-on = Tag (leer: sofort)
shop-gift-message = Ihre Nachricht
shop-error-gift-on = Wählen Sie heute oder einen späteren Tag innerhalb eines Jahres.
shop-gift-alone = Ein Geschenk ist eine eigene Bestellung: Bestellen Sie es ohne die anderen Artikel.
shop-add = In den Warenkorb
shop-not-for-sale-hint = Zugang gibt es nur auf Einladung des Anbieters, oder er nimmt keine Anmeldungen mehr an.
shop-full = Dieser Kurs ist ausgebucht
shop-full-hint = Wenn ein Platz frei wird und Sie an der Reihe sind, erhalten Sie eine E-Mail, und der Platz wird eine Zeit lang für Sie freigehalten.
shop-wait = Auf einen Platz warten
shop-waiting-listed = Sie stehen auf der Warteliste.
shop-waiting-asked = Wir haben Ihnen eine E-Mail geschickt. Bitte bestätigen Sie dort, dass Sie warten möchten.
shop-has-code = Haben Sie einen Code für einen Platz?
shop-included = Enthalten
shop-starts = Beginnt am { $date }
shop-started = Hat begonnen: Sie können heute anfangen
shop-open-until = Geöffnet bis { $date }
shop-certificate = Ein Zertifikat, wenn Sie bestehen
shop-receipt-included = Ein Beleg per E-Mail
shop-duration-hours = { PLURAL($count) ->
    [one] { $count } Stunde
   *[other] { $count } Stunden
}
shop-duration-days = { PLURAL($count) ->
    [one] { $count } Tag
   *[other] { $count } Tage
}
shop-duration-weeks = { PLURAL($count) ->
    [one] { $count } Woche
   *[other] { $count } Wochen
}
shop-duration-months = { PLURAL($count) ->
    [one] { $count } Monat
   *[other] { $count } Monate
}
shop-duration-years = { PLURAL($count) ->
    [one] { $count } Jahr
   *[other] { $count } Jahre
}
shop-program-courses = Die Kurse in ihrer Reihenfolge
shop-achievements = Was Sie am Ende haben
shop-program-all = Alle Kurse zusammen
shop-program-alone = Einzeln gekauft
shop-program-saved = Sie sparen
shop-program-single = Kurs für Kurs zu kaufen
shop-program-single-hint = Dieses Programm hat keinen eigenen Preis. Wählen Sie seine Kurse einzeln.
shop-program-certificates = Ein Zertifikat für jeden bestandenen Kurs

## Modes

shop-mode-audit = Ohne Zertifikat
shop-mode-honor = Zertifikat auf Ehrenwort
shop-mode-verified = Verifiziertes Zertifikat
shop-mode-professional = Beruflich
shop-mode-bootcamp = Bootcamp
shop-mode-executive-education = Führungskräfteprogramm
shop-mode-credit = Mit Leistungspunkten
shop-mode-masters = Master

## The basket

shop-basket-title = Ihr Warenkorb
shop-basket-empty = Ihr Warenkorb ist leer
shop-basket-empty-hint = Legen Sie einen Kurs oder ein Programm hinein, dann wartet es hier auf Sie.
shop-look-courses = Kurse ansehen
shop-start-again = Von vorn beginnen
shop-look-programs = Programme ansehen
shop-price-changed = Der Preis hat sich geändert. Bitte prüfen Sie ihn noch einmal.
shop-reverse-charge-applied = Es wird keine Steuer berechnet: Ihre USt-IdNr. wurde bestätigt. Ihr Unternehmen führt die Steuer selbst ab (Steuerschuldnerschaft des Leistungsempfängers).
shop-reverse-charge-invalid = Die Steuer wird berechnet: Das Register der EU kennt diese USt-IdNr. nicht. Bitte prüfen Sie sie oder lassen Sie sie weg.
shop-reverse-charge-unavailable = Die Steuer wird berechnet, weil das Register der EU die USt-IdNr. gerade nicht bestätigen kann. Um ohne Steuer zu kaufen, versuchen Sie es bitte später noch einmal.
shop-baskets-others = Jede Akademie hat ihren eigenen Warenkorb. Sie haben außerdem:
shop-basket-items = { PLURAL($count) ->
    [one] { $count } Artikel
   *[other] { $count } Artikel
}
shop-basket-full = Ihr Warenkorb ist voll, es wurde nichts hinzugefügt. Bitte bestellen Sie zuerst, was darin ist, oder entfernen Sie etwas.
shop-error-required = Bitte füllen Sie dieses Feld aus.
shop-error-check = Bitte prüfen Sie Ihre Angabe.
shop-error-voucher = Dieser Code gilt nicht für diese Bestellung.
shop-error-seats = Geben Sie eine Zahl von 1 bis 1000 Plätzen ein.
shop-error-item = Das kann gerade nicht gekauft werden. Bitte entfernen Sie es.
shop-error-items = Das lässt sich nicht zusammen kaufen. Bitte entfernen Sie etwas.
shop-error-emails = Bitte prüfen Sie die Adressen: eine in jeder Zeile, höchstens 500.
shop-seats-count = { PLURAL($count) ->
    [one] { $count } Platz
   *[other] { $count } Plätze
}
shop-upgrade = Upgrade von: { $mode }
shop-remove = Entfernen
shop-item-course = Ein Kurs
shop-item-program = Ein Programm
shop-subtotal = Zwischensumme
shop-regional = Nachlass für Ihr Land
shop-discount = Nachlass
shop-quote-until = Diese Preise gelten bis { $date }.
shop-voucher-line = Gutschein { $code }
shop-voucher = Gutschein
shop-voucher-apply = Einlösen
shop-voucher-accepted = angenommen
shop-voucher-refused = nicht angenommen
shop-voucher-unknown = Dieser Code ist nicht bekannt.
shop-voucher-not_started = Er gilt noch nicht.
shop-voucher-expired = Er gilt nicht mehr.
shop-voucher-exhausted = Er ist aufgebraucht.
shop-voucher-not_for_these_items = Er gilt für andere Kurse.
shop-voucher-currency = Er gilt für eine andere Währung.
shop-checkout = Zur Kasse
shop-sign-in-hint = Mit einem Konto sind Ihre Kurse sofort da.
shop-email = E-Mail-Adresse
shop-email-hint = Dorthin schicken wir Ihren Beleg; Ihre Kurse finden Sie im Konto mit dieser Adresse.
shop-billing = Rechnungsadresse
shop-pay-by-invoice = Als Unternehmen auf Rechnung zahlen
shop-invoice-company = Um auf Rechnung zu zahlen, geben Sie das Unternehmen an und die USt-IdNr., unter der es dem Verkäufer bekannt ist.
shop-invoice-sent = Die Rechnung kommt per E-Mail.
shop-optional = (wenn sie auf der Rechnung stehen soll)
shop-address-needed = (für die Zahlung brauchen wir die Felder mit *)
shop-field-name = Name
shop-field-company = Unternehmen
shop-field-tax_id = USt-IdNr.
shop-field-line1 = Straße
shop-field-city = Ort
shop-field-postal_code = Postleitzahl
shop-field-state = Bundesland
shop-field-country = Land
shop-consents = Bevor Sie kaufen
shop-consents-missing = Mit dieser Adresse ist noch etwas zu bestätigen. Bitte sehen Sie sich an, was unten steht.
shop-terms = AGB lesen
shop-consent-terms = Ich stimme den AGB zu.
shop-consent-begin_now = Ich möchte sofort beginnen, bevor die Widerrufsfrist abgelaufen ist.
shop-consent-loses_right = Mir ist bekannt, dass ich dadurch mein Widerrufsrecht verliere.
shop-take = Kostenlos teilnehmen
shop-buy-for = Kaufen für { $amount }
shop-buy-hint = Sie bezahlen auf der nächsten Seite. Die Daten Ihrer Karte erreichen diesen Shop nie.

## Payment

shop-payment = Zahlung
shop-leaving = Sie bezahlen auf der Seite des Zahlungsanbieters
shop-leaving-hint = Sie öffnet sich von selbst. Danach kommen Sie zu Ihrer Bestellung zurück.
shop-leave = Jetzt dorthin
shop-pay-unavailable = Der Zahlungsdienst ist nicht erreichbar.
shop-pay-kept = Ihre Bestellung bleibt erhalten, und es wurde nichts abgebucht. Bitte versuchen Sie es noch einmal, oder gehen Sie zurück und wählen Sie einen anderen Weg.
shop-pay-again = Noch einmal versuchen

## Orders

shop-order-title = Ihre Bestellung
shop-order-number = Bestellung
shop-orders-title = Ihre Bestellungen
shop-orders-none = Sie haben noch nichts bestellt
shop-orders-none-hint = Hier steht, was Sie kaufen, mit den Rechnungen.
shop-timeline = Stand der Bestellung
shop-step-placed = Bestellt
shop-step-paid = Bezahlt
shop-step-access = Zugang
shop-step-receipt = Beleg
shop-step-invoice = Rechnung
shop-step-waiting = wartet auf den Zahlungsanbieter
shop-step-transfer = wartet auf Ihre Überweisung
shop-step-closed = nicht bezahlt
shop-step-account = im Konto mit Ihrer Adresse, sobald es besteht
shop-step-enrolled = Ihre Kurse sind freigeschaltet
shop-step-seats = Sie können die Plätze vergeben
shop-step-working = einen Moment bitte
shop-step-refused = von der Plattform abgelehnt; der Anbieter kümmert sich darum
shop-step-ended = beendet
shop-step-mail = in Ihrem Postfach
shop-enrollment-none = noch nicht
shop-enrollment-enrolled = angemeldet
shop-enrollment-pending_registration = wartet auf ein Konto
shop-enrollment-removed = beendet
shop-enrollment-refused = von der Plattform abgelehnt
shop-refund = Erstattung anfordern
shop-refund-until = bis { $date }
shop-refunded = { $amount } erstattet
shop-documents = Rechnungen und Rechnungskorrekturen
shop-next = Wie es weitergeht
shop-next-mail = Der Beleg ist in Ihrem Postfach.
shop-next-account = Melden Sie sich mit dieser Adresse an, um die Bestellung in Ihrem Konto zu sehen.

## Seats

shop-seats-title = Ihre Plätze
shop-seats-none = Sie haben keine Plätze gekauft
shop-seats-none-hint = In jedem kostenpflichtigen Kurs können Sie Plätze für andere kaufen.
shop-seats-manage = Plätze verwalten
shop-seats-mail = Der Link in Ihrer E-Mail öffnet die Plätze.
shop-seats-left = { PLURAL($seats) ->
    [one] { $left } von { $seats } Platz frei
   *[other] { $left } von { $seats } Plätzen frei
}
shop-batch = Ergebnis je Adresse
shop-batch-waiting = Diese Seite aktualisiert sich, bis jede Adresse bearbeitet ist.
shop-assigned = Wer einen Platz hat
shop-assigned-none = Noch niemand.
shop-seat = Platz
shop-seat-pending = wartet auf ein Konto
shop-seat-enrolled = angemeldet
shop-seat-ended = zurückgenommen
shop-take-back = Zurücknehmen
shop-remind = An die Registrierung erinnern
shop-reminded = { PLURAL($count) ->
    [one] { $count } Erinnerung ist unterwegs.
   *[other] { $count } Erinnerungen sind unterwegs.
}
shop-reminded-recently = { PLURAL($count) ->
    [one] { $count } Adresse hat innerhalb des letzten Tages eine Nachricht bekommen und bekommt heute keine weitere.
   *[other] { $count } Adressen haben innerhalb des letzten Tages eine Nachricht bekommen und bekommen heute keine weitere.
}
shop-reminded-none = Es wurde niemand erinnert: Kein Platz wartet auf eine Registrierung.
shop-taken-back-free = Der Platz wurde zurückgenommen. Sie können ihn neu vergeben.
shop-taken-back-spent = Der Platz wurde zurückgenommen, und der Zugang ist beendet. Er war in Gebrauch und kann deshalb nicht neu vergeben werden.
shop-taken-back-none = Es hat sich nichts geändert: Diese Adresse hat keinen Platz.
shop-row-repeated = steht doppelt in der Liste
shop-row-used-up = keine Plätze mehr frei
shop-row-address = ist keine Adresse, an die sich eine Nachricht schicken lässt
shop-row-refused = hat keinen Platz bekommen
shop-assign = Plätze vergeben
shop-assign-emails = E-Mail-Adressen, eine in jeder Zeile
shop-assign-do = Vergeben
shop-code = Code:
shop-code-hint = Wer diesen Kurs mit dem Code als Gutschein bestellt, belegt einen Platz. Jede Person kann genau einen belegen.

## Faults

shop-fault-missing = Diese Seite gibt es nicht
shop-fault-hint-missing = Sie ist umgezogen, oder die Adresse enthält einen Tippfehler.
shop-fault-busy = Zu viele Versuche
shop-fault-hint-busy = Bitte versuchen Sie es in einer Minute noch einmal.
shop-fault-unavailable = Das hat nicht geklappt
shop-fault-hint-unavailable = Ein Dienst, den wir brauchen, antwortet nicht. Es ist nichts verloren: Bitte versuchen Sie es gleich noch einmal.
shop-fault-foreign = Dieses Formular kam von anderswo
shop-fault-hint-foreign = Nur Seiten dieses Shops können seine Formulare senden. Öffnen Sie die Seite hier noch einmal und senden Sie das Formular von dort.
shop-fault-unreadable = Das war nicht lesbar
shop-fault-hint-unreadable = Etwas in der Adresse oder im Formular stimmt nicht. Gehen Sie zurück und versuchen Sie es noch einmal.
shop-fault-refused = Das hat nicht geklappt
shop-fault-hint-refused = Bitte gehen Sie zurück, prüfen Sie Ihre Angaben und versuchen Sie es noch einmal.
shop-fault-hint-link = Links in E-Mails gelten nur eine bestimmte Zeit. Melden Sie sich bitte mit der Adresse an, an die er geschickt wurde, oder bitten Sie den Anbieter um einen neuen Link.
shop-to-basket = Zurück zum Warenkorb

### The course platform's catalog

slot-buy-certificate = Zertifikat kaufen
slot-buy-course = Kurs kaufen
slot-sold-out = Ausverkauft
slot-certificate-sold-out = Zertifikat: ausverkauft
slot-tax-rate = inkl. { $rate } Steuer
slot-tax-included = inkl. Steuer
slot-tax-excluded = zzgl. Steuer
slot-price-before = Preis ohne Rabatt:
slot-price-now = Preis:
slot-program = Programm { $name }:
