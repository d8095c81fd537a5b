# French. Address the reader as vous.

### Every page

## The frame of each page

console-title = Console
console-skip = Aller au contenu
console-desk = service client
console-search = Rechercher
console-search-for = Adresse, nom, entreprise, commande, référence, cours, code
console-other-shop = Autre boutique
console-sign-out = Se déconnecter
console-zone = Les jours et les heures sont ceux de { $zone }.

## Links below a long list

console-pages = Pages
console-previous = Précédente
console-page = Page { $n }
console-next = Suivante

## Moments and times

console-age-now = depuis moins d’une minute
console-age-minutes = { PLURAL($n) ->
    [one] depuis { $n } minute
   *[other] depuis { $n } minutes
}
console-age-hours = { PLURAL($n) ->
    [one] depuis { $n } heure
   *[other] depuis { $n } heures
}
console-age-days = { PLURAL($n) ->
    [one] depuis { $n } jour
   *[other] depuis { $n } jours
}
console-since = depuis le { $date }

## Words that are headings of columns, names of fields, or buttons

console-action = Action
console-address = Adresse
console-addresses = Adresses
console-amount = Montant
console-budget = Budget
console-buyer = Acheteur
console-campaign = Campagne
console-change = Modifier
console-code = Code
console-course = Cours
console-courses = Cours
console-filter = Filtrer
console-mode = Mode
console-note = Note
console-order = Commande
console-orders = Commandes
console-placed = Passée le
console-price = Prix
console-reason = Motif
console-refunded = Remboursé
console-row = Ligne
console-rows = Lignes
console-save = Enregistrer
console-status = Statut
console-tax = Taxe
console-total = Total
console-url = URL
console-uses = Utilisations
console-uses-in-all = Utilisations au total
console-uses-by-one = Utilisations par acheteur
console-takes-off = Remise
console-taken-off = Remise accordée
console-valid-from = Valable à partir du
console-valid-until = Valable jusqu’au
console-no-end = sans date de fin
console-no-limit = sans limite
console-ended = expiré
console-of = { $part } sur { $whole }
console-last-30-days = 30 derniers jours

## What several pages say

console-will-happen = Ce qui va se passer
console-on-record = L’action est enregistrée sous votre nom, { $name }.
console-show-first = Voir ce qui va se passer
console-ask-platform = Redemander à la plateforme de cours
console-look-again = Actualiser
console-progress = Avancement
console-done-of = Traitées : { $done } sur { $total }.
console-done-and-failed = Traitées : { $done } sur { $total } ; en échec : { $failed }.

### Stored words, each as a tag or in a column

## Status of an order


## Status of a person's access to a course

access-status-enrolled = inscrit
access-status-pending-registration = en attente d’un compte
access-status-removed = désinscrit
access-status-refused = refusé
access-status-cancelled = annulé
access-status-none = aucun

## Status of a payment

payment-status-created = créé
payment-status-processing = en cours
payment-status-succeeded = réussi
payment-status-failed = échoué
payment-status-cancelled = annulé
payment-status-superseded = remplacé
payment-status-refunded = remboursé

## Status of a refund

refund-status-asked = demandé
refund-status-accepted = accepté
refund-status-succeeded = effectué
refund-status-failed = échoué

## Status of a dispute at the buyer's bank

dispute-status-open = ouvert
dispute-status-won = gagné
dispute-status-lost = perdu

## Status of a withdrawal

withdrawal-status-received = en attente
withdrawal-status-unmatched = sans commande correspondante
withdrawal-status-accepted = acceptée
withdrawal-status-refused = refusée

## Status of a row of a batch, and of the batch

row-status-waiting = en attente
row-status-done = traitée
row-status-failed = en échec
batch-status-running = en cours
batch-status-done = terminé

## Status of a seat that an address has

seat-status-pending = en attente d’un compte
seat-status-enrolled = inscrit
seat-status-ended = terminée

## Status of a voucher's use

use-status-held = en attente du paiement
use-status-used = utilisé
use-status-released = libéré
use-status-late = payé tardivement

## Status of an event's delivery to an endpoint

delivery-status-waiting = en attente
delivery-status-delivered = livré
delivery-status-given-up = abandonné

## What a row of a batch does

action-enroll = inscrire
action-unenroll = désinscrire

## What a voucher takes off

voucher-kind-percent = pourcentage
voucher-kind-amount = montant
voucher-kind-seat = place

## Movements of money, in reports

movement-captured = paiement
movement-refunded = remboursement
movement-refund-failed = remboursement échoué
movement-chargeback = rétrofacturation
movement-chargeback-reversed = rétrofacturation annulée
movement-moved = transfert
movement-fee = frais
movement-payout = versement

## Documents

document-kind-invoice = facture
document-kind-credit-note = avoir
document-status-requested = demandé
document-status-issued = émis
document-status-refused = refusé
document-status-cancelled = annulé

## Mails to buyers and learners; also in sentences

mail-kind-receipt = reçu
mail-kind-invoice = facture
mail-kind-invoice-cancelled = facture annulée
mail-kind-invoice-corrected = facture corrigée
mail-kind-access-moved = transfert
mail-kind-transfer-requested = comment payer
mail-kind-document-again = lien vers le document
mail-kind-document-follows = document envoyé plus tard
mail-kind-refund-issued = remboursement
mail-kind-registration-invitation = invitation
mail-kind-seats-ready = places disponibles
mail-kind-seat-assigned = place attribuée
mail-kind-withdrawal-received = rétractation reçue
mail-kind-withdrawal-refused = rétractation refusée

## What of an order the text of a search was

found-by-order = commande
found-by-payment = paiement
found-by-refund = remboursement
found-by-dispute = litige
found-by-document = document
found-by-reference = numéro de commande de l’acheteur
found-by-transfer = référence bancaire
found-by-course = cours
found-by-address = adresse
found-by-name = nom
found-by-company = entreprise
found-by-tax-id = n° de TVA

## Roles of the staff

role-support = service client
role-finance = finances
role-manager = responsable

### The start page: what needs a person, and figures

start-title = Accueil
start-heading = À traiter
start-nothing = Rien ne vous attend.
start-decide = Décider…
start-decide-text = Traité de nouveau, le message fait ce qu’il n’a pas pu faire. Supprimé, il est perdu pour de bon, et ce qu’il devait faire n’a pas lieu.
start-process-again = Traiter de nouveau
start-drop = Supprimer définitivement
start-mail-again = Renvoyer l’e-mail
start-open-withdrawal = Ouvrir la rétractation
start-open-invoice = Ouvrir la demande de facture
start-open-events = Ouvrir les événements
start-open-order = Ouvrir la commande
start-open-person = Ouvrir la fiche de la personne
start-today = Aujourd’hui
start-paid = Payé
start-orders = { PLURAL($n) ->
    [one] { $n } commande
   *[other] { $n } commandes
}
start-no-money = Aucun mouvement d’argent depuis minuit.
owed-title = Impayés
owed-text = Commandes dont le virement ou la facture n’est pas encore payé, les plus anciennes échéances d’abord.
owed-open = À recevoir
owed-overdue = En retard
owed-how = Paiement
owed-on-account = sur facture
owed-none = Rien n’est impayé.
owed-pending-text = Paiements que le prestataire traite encore, comme les prélèvements, les commandes les plus anciennes d’abord.
owed-until = Commandes passées jusqu’à la fin de { $month }.
owed-all = Tout afficher
owed-placed = Commandé le
owed-at-provider = chez le prestataire

## The chart of orders by day

start-chart = Commandes des 30 derniers jours. Payées : { $up } ; closes sans paiement : { $down } ; maximum par jour : { $most }
start-chart-day = { $day } – payées : { $up } ; closes sans paiement : { $down }
start-chart-up = Payées : { $n }
start-chart-down = Closes sans paiement : { $n }

## Tags: what waits for a person

waiting-kind-payment = paiement
waiting-kind-notification = notification
waiting-kind-access = accès
waiting-kind-enrollment = inscription
waiting-kind-refund = remboursement
waiting-kind-refund-to-pay = remboursement
waiting-kind-overdue = en retard
waiting-kind-invoice = facture
waiting-kind-document = document
waiting-kind-withdrawal = rétractation
waiting-kind-mail = e-mail
waiting-kind-endpoint = point de terminaison
waiting-kind-dead-letter = message

## What waits for a person, and what to do about it

waiting-payment = Le paiement demande une décision. Lisez le motif, agissez, puis clôturez l’alerte.
waiting-notification = La notification du prestataire contredit les données enregistrées. Comparez-la avec le tableau de bord du prestataire.
waiting-access = La commande est payée, mais ses cours ne sont pas encore ouverts.
waiting-enrollment = La plateforme de cours a refusé l’inscription. Corrigez la cause sur la plateforme, puis relancez l’inscription ici.
waiting-refund = Le prestataire n’a pas encore répondu au sujet du remboursement. Il est interrogé de nouveau automatiquement.
waiting-refund-to-pay = Versez le remboursement par votre banque. Indiquez ensuite qu’il est arrivé ou qu’il est revenu.
waiting-overdue = L’argent était dû et n’est pas arrivé. Relancez l’acheteur, enregistrez ce qui est arrivé ou annulez la commande.
waiting-invoice = Le service client demande une facture corrigée, avec laquelle la taxe est remboursée. Confirmez-la ou refusez-la.
waiting-document = Un autre système n’a pas émis le document depuis un jour. Interrogez-le, ou signalez ce qu’il indique.
waiting-withdrawal = Un acheteur s’est rétracté. Acceptez la rétractation, remboursez une partie ou refusez-la en donnant un motif ; le remboursement est dû dans les 14 jours suivant la déclaration.
waiting-mail = L’e-mail n’est pas arrivé. Corrigez l’adresse ou renvoyez l’e-mail.
waiting-endpoint = Les événements ne sont plus livrés à cette adresse. Faites réparer le système destinataire, puis réactivez-la.
waiting-dead-letter = Un message n’a pas pu être traité. Corrigez-en la cause, puis faites-le traiter de nouveau ; ne le supprimez que si rien ne doit se passer.

### Where do you work: for a person on the staff of several shops

choose-title = Où travaillez-vous aujourd’hui ?
choose-hello = Bonjour { $name }. Vous faites partie de l’équipe de ces organismes.

### What a search has found

search-results = Résultats pour « { $text } »
search-short = Saisissez au moins 2 caractères : une adresse, une partie du nom ou de l’entreprise figurant sur une facture, son numéro de TVA, une commande, un numéro de document, le numéro de commande de l’acheteur, la référence d’un virement, de votre banque ou du prestataire, un code de bon, ou le nom ou la clé d’un cours.
search-none = Rien ne correspond chez { $organisation }. Essayez l’adresse complète ou au moins trois lettres du nom ou de l’entreprise figurant sur la facture. Les commandes d’une autre boutique n’apparaissent pas ici.
search-voucher = bon
search-course = cours
search-found-by = Trouvée par
search-more = Il y a d’autres résultats. Précisez votre recherche pour en réduire le nombre.

### An order

order-title = Commande de { $email }
order-placed = passée le { $date }
order-former-shop = Vendue par { $shop } avant d’être reprise ici : simple archive. Les remboursements et les reçus se demandent là-bas.
order-former-shop-account = Vendue par { $shop } avant d’être reprise ici. Elle a été payée sur le compte { $provider } utilisé ici et peut donc être remboursée ici. Les reçus se demandent là-bas.
order-alert = Le paiement demande une décision
order-alert-done = Ce qui a été fait
order-alert-close = Clôturer l’alerte
order-bought = Achats
order-lines = Lignes
order-line = Ligne
order-access = Accès
order-seats = { PLURAL($n) ->
    [one] { $n } place
   *[other] { $n } places
}
order-gift = Cadeau
order-gift-given = Remis le { $date }
order-gift-planned = Pour le { $date }
order-is-moving = en cours de transfert vers { $course }
order-is-moving-to-person = en cours de transfert à une autre personne
order-moved = transférée vers { $course }
order-moved-to-person = transférée à une autre personne
order-total-with-voucher = Total avec { $code }

## Refund

order-refund = Rembourser…
order-refund-text = Cochez les lignes ci-dessus pour les rembourser et mettre fin à leur accès ; n’en cochez aucune pour rembourser toute la commande. La page suivante montre d’abord ce qui va se passer.
order-refund-amount = Montant, si inférieur
order-refund-all-left = tout le solde
order-refund-keep = Geste commercial : rembourser le montant sans mettre fin à aucun accès

## Move

order-move = Transférer…
order-move-text = La ligne donne accès à un autre cours, ou cède son accès à une autre personne. Aucun argent ne circule et la facture reste inchangée. La page suivante montre ce qui va se passer.
order-move-course = Vers le cours
order-move-person = À la personne dont l’adresse est

## Access: what the course platform says about it

order-withdrawals = Rétractations
order-platform-agrees = confirmé par la plateforme de cours
order-platform-refused = refusé par la plateforme de cours
order-platform-waits = la plateforme de cours attend que la personne crée son compte
order-platform-not-yet = pas encore confirmé par la plateforme de cours
order-access-ended = terminé le { $date } :

## Money, mails and documents

order-money-back = Remboursements et litiges
order-refund-to-pay = Remboursez le montant par votre banque, puis indiquez ce qu’il en est advenu.
order-refund-arrived = L’argent est arrivé
order-refund-back = L’argent est revenu
order-dispute = { $amount } contestés auprès de la banque
order-payment = Paiement
order-transfer = Virement bancaire
order-transfer-reference = Référence de paiement
order-transfer-due = Échéance
order-transfer-open = Reste à payer
order-payment-book = Enregistrer un paiement…
order-payment-text = Enregistrez ce qu’indique votre banque. Dès que la totalité de { $amount } est arrivée, les cours s’ouvrent et l’acheteur reçoit son reçu.
order-payment-day = Jour à la banque
order-payment-reference = Référence de la banque
order-payment-submit = Enregistrer ce paiement
order-payment-is-back = remboursé
order-payment-return-text = Remboursez d’abord { $amount } par votre banque. Le montant ne compte plus ensuite.
order-payment-return = Il a été remboursé
order-payment-end = Mettre fin à la commande…
order-payment-end-text = Aucun argent n’est arrivé pour elle. Son bon et ses places deviennent libres pour d’autres. Un virement qui arriverait malgré tout est accepté, avec une alerte.
order-payment-end-submit = Mettre fin à cette commande
order-document-report = Signaler la suite donnée…
order-document-text = Signalez ce qu’indique l’autre système.
order-document-number = Numéro
order-document-day = Date figurant sur le document
order-document-total = Total
order-document-authority = Système de l’administration
order-document-qr = Contenu du code QR
order-document-issued = Il est émis
order-document-refused = Il a été refusé
order-document-cancel = { $number } a été annulé…
order-document-cancel-text = Seulement s’il a été annulé là où il avait été émis. La commande n’a alors plus ce document tant qu’il n’est pas demandé à nouveau.
order-document-cancelled = Il a été annulé
order-document-anew = Le demander à nouveau
order-invoice-on-account = Sur facture : la facture a été émise avant le paiement.
order-invoice-overdue = En retard
order-invoice-cancel = Annuler la facture…
order-invoice-cancel-text = Aucun argent n’est arrivé pour elle. Un avoir annule la facture, et l’accès prend fin. Remboursez un virement qui arriverait malgré tout.
order-invoice-cancel-submit = Annuler cette facture
order-reverse-charge-applied = Autoliquidation : VIES a confirmé le numéro de TVA, sous le numéro de consultation { $number }.
order-reverse-charge-invalid = La taxe a été facturée : VIES ne connaît pas le numéro de TVA.
order-reverse-charge-unavailable = La taxe a été facturée : VIES n’a pas répondu si le numéro de TVA est valide.
order-provider = Prestataire
order-reference = Référence
order-at-bank-since = Traité par la banque depuis le
order-disputed = Contesté le
order-mails = E-mails et documents
order-mail = { $mail } à { $email }
order-mail-failed = en échec
order-mail-waits = en attente
order-mail-sent = envoyé
order-mail-deferred = différé par le serveur
order-mail-delivered = remis
order-mail-again = Renvoyer
order-no-mails = Rien n’est en attente. Les e-mails envoyés figurent dans l’historique.
order-receipt-again = Renvoyer le reçu à { $email }
order-invoice-again = Renvoyer la facture à { $email }
order-invoice-correct = Corriger la facture …
order-invoice-asked = Une facture corrigée est demandée au service financier
order-invite-again = Renvoyer l’invitation à { $email }
order-correct-address = Corriger l’adresse…
order-correct-address-text = Pour un acheteur sans compte qui a mal saisi son adresse. Ce qui attend { $email } passe à la nouvelle adresse, qui est invitée à créer un compte si elle n’en a pas. La facture reste inchangée.
order-right-address = Adresse correcte
order-correct-address-submit = Transférer la commande à cette adresse

## The history: each entry is a sentence, and who did it

order-history = Historique
order-by = par { $name }
timeline-by-system = le système
timeline-by-client = la boutique
timeline-by-guest = l’acheteur, sans compte
timeline-by-learner = l’acheteur, connecté
timeline-by-provider = le prestataire de paiement
timeline-by-staff = l’équipe (compte { $id })
timeline-by-operator = { $name } (opérateur)
timeline-by-key = la clé { $id } de l’organisme

timeline-cart-open = Le panier a été commencé.
timeline-cart-placed = La commande a été passée.
timeline-cart-pending-payment = La commande a été passée et attend son paiement.
timeline-cart-held = La commande a été passée ; ses cours s’ouvriront dès qu’un compte sera créé à cette adresse.
timeline-cart-paid = La commande est payée.
timeline-cart-fulfilled = La commande est terminée : l’accès a été accordé.
timeline-cart-cancelled = La commande a été annulée.
timeline-cart-expired = La commande a expiré sans paiement.
timeline-cart-refunded = La commande a pris fin : tout l’argent a été rendu.
timeline-cart-invoice-corrected = L’acheteur sur la facture a été corrigé.
timeline-cart-document-issued = Un document a été signalé comme émis.
timeline-cart-document-refused = Un document a été refusé.
timeline-cart-document-cancelled = Un document a été annulé là où il avait été émis.
timeline-cart-document-replaced = Un document refusé ou annulé a été demandé à nouveau.
timeline-cart-invoice-asked = Une facture corrigée a été demandée au service financier.
timeline-cart-invoice-refused = Le service financier a refusé la facture corrigée.
timeline-cart-invoice-paid = La facture a été payée.
timeline-cart-restored = L’accès a été rétabli.
timeline-cart-access-blocked = L’accès attend une personne.
timeline-cart-access-restored = L’accès sur lequel repose cette commande est rétabli ; elle a donc été accordée.
timeline-cart-mail-sent = L’e-mail « { $mail } » a été envoyé.
timeline-cart-mail-again = L’e-mail « { $mail } » a été renvoyé.
timeline-cart-move-asked = Un transfert de { $from } vers { $to } a été demandé.
timeline-cart-move-withdrawn = Le transfert vers { $to } a été retiré.
timeline-cart-moved = L’accès est passé de { $from } à { $to }.
timeline-cart-moved-to-person = L’accès à { $to } est passé à une autre personne.
timeline-cart-address-corrected = L’adresse de l’acheteur a été corrigée.
timeline-alert-closed = L’alerte a été clôturée : { $alert }.
timeline-transaction-created = Le paiement a été préparé.
timeline-transaction-processing = Le paiement a été lancé chez le prestataire.
timeline-transaction-succeeded = Le paiement est arrivé.
timeline-transaction-failed = Le paiement a échoué.
timeline-transaction-cancelled = Le paiement a été annulé.
timeline-transaction-superseded = Une autre tentative a remplacé le paiement.
timeline-transaction-refunded = Le paiement a été remboursé intégralement.
timeline-transaction-partly-refunded = Sur le paiement, { $refunded } sont remboursés à présent.
timeline-transaction-lost = La banque a repris { $lost } du paiement.
timeline-transaction-held = Un litige retient { $lost } du paiement.
timeline-transaction-refunded-and-lost = Sur le paiement, { $refunded } sont remboursés et la banque a repris { $lost }.
timeline-transaction-nothing-back = Plus rien du paiement n’est remboursé ni repris.
timeline-transaction-charged = Le prestataire a débité un autre montant que celui de la commande.
timeline-transaction-received = { $amount } sont arrivés à la banque.
timeline-transaction-returned = { $amount } ont été remboursés par la banque.
timeline-transaction-event-applied = Une notification qui contredisait les données a été appliquée.
timeline-refund-asked = Un remboursement a été demandé.
timeline-refund-accepted = Le prestataire a accepté le remboursement.
timeline-refund-succeeded = Le remboursement est effectué.
timeline-refund-failed = Le remboursement a échoué.
timeline-withdrawal-objected = Le titulaire de l’adresse de la commande a indiqué que la rétractation n’est pas la sienne.
timeline-withdrawal-received = Une rétractation a été déclarée.
timeline-withdrawal-unmatched = Une rétractation a été déclarée sous une autre adresse.
timeline-withdrawal-accepted = La rétractation a été acceptée.
timeline-withdrawal-refused = La rétractation a été refusée.
timeline-the-course = Le cours
timeline-enrollment-enrolled = { $course } : accès donné.
timeline-enrollment-pending-registration = { $course } : en attente d’un compte à cette adresse.
timeline-enrollment-removed = { $course } : accès terminé.
timeline-enrollment-synced = { $course } : confirmé par la plateforme de cours.
timeline-enrollment-refused = { $course } : refusé par la plateforme de cours.
timeline-enrollment-retried = { $course } : nouvelle tentative d’inscription.
timeline-notification = Le prestataire a signalé { $what }.
timeline-dispute-open = La banque de l’acheteur a ouvert un litige, qui est en cours.
timeline-dispute-won = La banque de l’acheteur a ouvert un litige, qui est maintenant gagné.
timeline-dispute-lost = La banque de l’acheteur a ouvert un litige, qui est maintenant perdu.
timeline-became = { $what } : passage de { $from } à { $to }.
timeline-other = { $what } : { $to }.

### A withdrawal of an order: on the order's page, and on a page of its own

decide-declared = déclarée le { $date } par { $email }
decide-no-proof = sans preuve
decide-lines = { PLURAL($n) ->
    [one] { $n } ligne
   *[other] { $n } lignes
}
decide-no-line = aucune ligne
decide-decided = tranchée le { $date }
decide-waits = en attente d’une décision :
decide-judged = examinée automatiquement, prochaine fois le { $date }
decide-objected = Le { $date }, le titulaire de l’adresse de la commande a indiqué que cette rétractation n’est pas la sienne.
decide-accept = Accepter…
decide-accept-text = Tout ce qui reste des lignes déclarées est remboursé à l’acheteur, et leur accès prend fin. L’acheteur reçoit un e-mail.
decide-reason-optional = Motif, visible par l’acheteur ; facultatif
decide-accept-submit = Rembourser tout le solde et mettre fin à l’accès
decide-part = Rembourser une partie…
decide-part-text = Pour un service déjà commencé : ce montant est remboursé à l’acheteur, et l’accès aux lignes déclarées prend fin. L’acheteur reçoit un e-mail.
decide-part-submit = Rembourser ce montant et mettre fin à l’accès
decide-refuse = Refuser…
decide-refuse-text = Rien n’est remboursé, et l’accès est conservé. L’acheteur reçoit un e-mail avec votre motif et peut déclarer ces lignes de nouveau.
decide-refuse-submit = Refuser la rétractation
decide-close = Clôturer…
decide-close-text = Aucun e-mail n’est envoyé : l’auteur de la déclaration peut être un inconnu. Si vous avez trouvé la commande concernée, remboursez-la d’abord depuis sa page.
decide-close-submit = Clôturer la rétractation

## The page of its own

withdrawal-title = Rétractation de { $name }
withdrawal-heading = Rétractation
withdrawal-declared-what = Ce qui a été déclaré
withdrawal-order-named = Commande, telle qu’indiquée
withdrawal-name = Nom
withdrawal-declared = Déclarée le
withdrawal-decision = Décision

### Before a refund

refund-title = Rembourser ?
refund-heading = Rembourser cette commande ?
refund-order = Commande de { $email }, { $total }, dont { $refunded } déjà remboursés.
refund-amount = L’acheteur récupère { $amount } via { $provider }.
refund-all = L’acheteur récupère tout ce qui reste de { $total } via { $provider }.
refund-lines = L’acheteur récupère tout ce qui reste des lignes cochées, soit { $amount }, via { $provider }.
refund-lines-with-tax = L’acheteur récupère tout ce qui reste des lignes cochées, soit { $amount } et, le cas échéant, la taxe facturée en sus, via { $provider }.
refund-access-stays = Tous les accès sont conservés.
refund-access-ends = L’accès à { $item } prend fin dès que le prestataire a accepté, sauf si l’apprenant a obtenu un certificat.
refund-own = Votre organisation verse l’argent par sa banque, puis indique ici qu’il est arrivé.
refund-access-ends-now = L’accès à { $item } prend fin immédiatement, sauf si un certificat a déjà été obtenu.
refund-mail = { $email } reçoit un e-mail au sujet du remboursement.
refund-no-mail = Aucun e-mail n’est envoyé d’ici à l’acheteur : une autre boutique a vendu la commande.
refund-mail-with-credit-note = { $email } reçoit un e-mail au sujet du remboursement, avec un avoir.
refund-needs-amount = Un geste commercial nécessite un montant. Revenez en arrière et saisissez-en un.
refund-reason = Motif, également visible par l’acheteur
refund-despite-dispute = Rembourser bien qu’un litige soit ouvert à la banque et que celle-ci puisse rendre le même argent à l’acheteur
refund-taken = Des litiges ont pris { $lost }, qui ne peuvent pas être remboursés.
refund-back = Retour, ne rien rembourser
refund-submit-all = Rembourser tout le solde et mettre fin à l’accès
refund-submit = Rembourser { $amount } et mettre fin à l’accès
refund-submit-keep = Rembourser { $amount }

### A correction of the buyer on an invoice

invoice-title = Corriger la facture
invoice-buyer = Acheteur sur la facture
invoice-asked = Le service client a demandé cet acheteur le { $date }. La taxe lui est alors remboursée.
invoice-happens = Un avoir annule la facture, et une nouvelle mentionne cet acheteur.
invoice-mail = { $email } reçoit la nouvelle facture par e-mail.
invoice-tax = S’il s’agit d’une entreprise d’un autre État membre de l’UE et que VIES confirme son numéro de TVA, la taxe est remboursée.
invoice-tax-asked = S’il s’agit d’une entreprise d’un autre État membre de l’UE et que VIES confirme son numéro de TVA, la taxe est à rembourser : le service financier est alors sollicité et corrige la facture.
invoice-back = Retour, ne rien corriger
invoice-submit = Corriger la facture et l’envoyer
invoice-refuse = Refuser la demande du service client
buyer-company = Entreprise
buyer-tax-id = N° de TVA
buyer-name = Nom
buyer-line1 = Rue
buyer-line2 = Complément d’adresse
buyer-postal-code = Code postal
buyer-city = Ville
buyer-state = Région
buyer-country = Pays, deux lettres

### Before a move

move-title = Transférer ?
move-heading = Transférer cette ligne ?
move-line-number = ligne { $position }
runs-heading = Vers où transférer { $name } ?
runs-line = { $name }, { $mode }, acheté pour { $price }.
runs-choose = Transférer vers { $name } …
runs-same-course = autre session
runs-none = Aucun autre cours n’est en vente dans ce mode, ou l’acheteur l’a déjà.
runs-person = Ou à une autre personne
move-is-moving = Elle est en cours de transfert vers { $course }.
move-is-moving-to-person = Elle est en cours de transfert vers { $course }, à une autre personne.
move-was-moved = Elle a été transférée vers { $course }.
move-was-moved-to-person = Elle a été transférée vers { $course }, à une autre personne.
move-access-now = Qui a accès par cette commande actuellement :
move-to-course = La ligne donnera accès à { $course } à la place.
move-other-price = Il coûte { $price }, et la ligne { $paid } : cochez ci-dessous que rien n’est facturé ni remboursé.
move-to-person = La ligne donnera son accès à { $email } ; s’il n’existe pas de compte à cette adresse, la personne est invitée à en créer un.
move-old-access = L’accès actuel est conservé jusqu’à ce que la plateforme de cours ait confirmé le nouveau, puis il prend fin. Si la plateforme refuse, il est conservé, et le refus apparaît dans la liste « À traiter ».
move-earlier = Un transfert précédent de cette ligne que la plateforme a refusé, ou dont l’adresse n’a pas encore de compte, est retiré.
move-money = Il n’y a aucun mouvement d’argent. La facture reste inchangée ; un remboursement ultérieur de la ligne met fin au nouvel accès.
move-certificate = Si la personne qui a actuellement l’accès a obtenu un certificat, rien ne se passe.
move-mail = { $email } reçoit un e-mail dès que le transfert est fait.
move-reason = Motif, pour l’historique
move-waive = Transférer même si le prix diffère ; rien n’est débité ni remboursé
move-back = Retour, ne rien transférer
move-submit = Transférer { $name } à { $to }

### A person: an address with its orders, courses and seats

person-download = Télécharger ce que { $organisation } détient sur cette personne
person-download-help = Au format JSON, pour une personne qui en fait la demande.
person-no-orders = Aucune commande à cette adresse chez { $organisation }. La personne a peut-être acheté sous une autre : recherchez le nom figurant sur la facture.
person-no-courses = Aucun cours de { $organisation } n’a été ouvert pour cette adresse.
person-seats = Places que cette adresse gère ou occupe
person-seats-taken = prises : { $used } sur { $seats }
person-seats-bought = achetées le { $date }

### Payouts

payouts-title = Versements
payouts-text = Ce que le prestataire de paiement a versé à votre banque, et ce que contient chaque versement. Les données sont lues toutes les heures.
payouts-refused = { $gateway } ne montre pas les versements à la clé de votre compte. Adressez-vous à l’exploitant de ce service.
payouts-unread = Les versements de { $gateway } n’ont pas encore été lus.
payouts-made = Émis le
payouts-bank = À la banque
payouts-payments = Paiements
payouts-refunds = Remboursements
payouts-disputes = Litiges
payouts-fees = Frais
payouts-rest = Autres
payouts-difference = écart
payouts-not-read = Son contenu n’a pas encore été lu.
payouts-not-itemised = Le prestataire ne dit pas ce qu’il contient.
payouts-none = Aucun versement pendant cette période. Choisissez-en une autre.
payouts-csv = Télécharger les versements en CSV
payouts-xlsx = Versements en XLSX
payouts-movements = Mouvements des versements
payouts-movements-csv = Mouvements en CSV
payouts-movements-xlsx = Mouvements en XLSX
payout-status-pending = en cours
payout-status-paid = versé
payout-status-failed = échoué

### The month that finance closes

# A link at the top of each page, and the page on which finance closes a month
month-title = Clôture du mois
month-month = Mois
month-text = L’argent compte au jour indiqué par la banque ou le prestataire.
month-closed = clôturé
month-closed-by = Clôturé le { $date } par { $name }.
month-closed-with = Il a été clôturé avec { $month }.
month-open = Le mois est terminé et pas encore clôturé.
month-not-over = Le mois pourra être clôturé après le { $day }.
month-provider = Prestataire
# In place of a provider: transfers that you take yourself
month-own-account = votre propre compte
# Headings: money that is with the provider before and after the month
month-opening = Chez le prestataire avant
month-paid-out = Versé
month-closing = Encore chez le prestataire
month-no-opening = Ce qui était chez le prestataire avant n’est pas connu, car aucun mois n’est clôturé dans l’année qui précède.
month-adds-up = Le compte est juste : ce qui était là avant et tous les mouvements donnent ce qui reste, et les versements concordent.
month-gaps = Ceci ne concorde pas :
# Behind an amount: why it does not add up
month-gap-other = mouvements d’un versement que les livres ne connaissent pas
month-gap-unknown-payment = paiements d’un versement qui ne sont pas des commandes d’ici
month-gap-other-currency = payé dans une devise et versé dans une autre
month-gap-difference = écart entre un versement et ses mouvements
month-gap-unread = un versement dont les mouvements n’ont pas été lus pendant ce mois, de sorte que ses frais manquent
month-gap-closed = écart avec le solde sur lequel le mois a été clôturé
# Above amounts
month-unpaid = Impayé à présent
month-pending = En cours à présent
month-documents = Documents manquants
month-documents-text = Commandes payées sans facture et remboursements sans avoir. La plupart sont émis en quelques minutes ; pour ce qui reste ici, adressez-vous à l’exploitant.
month-no-documents = Aucun document ne manque.
month-late = Argent tardif
month-late-text = Argent qui compte dans ce mois parce que son propre mois était déjà clôturé lors de la comptabilisation.
month-no-late = Rien n’est arrivé en retard.
# Below an amount: of how many it is the sum
month-number = Nombre : { $n }
month-close-text = Une fois clôturé, le mois reste tel quel, avec tous les précédents : ce qui est comptabilisé plus tard compte dans un mois ouvert. C’est irréversible.
# A button
month-close = Clôturer { $month }

### Reports

reports-title = Rapports
reports-from = Du
reports-to = Au (inclus)
reports-by = Jour retenu
reports-by-booked = celui de la comptabilisation
reports-by-received = celui de la banque ou du prestataire
reports-show = Afficher
reports-zone = Jours du fuseau horaire { $zone }.
# Before tags with what the page shows
reports-only = Seulement :
reports-all = Afficher tous les mouvements
reports-totals = Mouvements et taxes
reports-movement = Mouvement
reports-taxed-in = Lieu d’imposition
reports-rate = Taux
reports-number = Nombre
reports-net = Net
reports-none = Aucun mouvement d’argent pendant cette période. Choisissez-en une autre : les paiements comptent le jour où le prestataire les a signalés.
reports-ledger = Journal
reports-ledger-first = Journal : { $n } premiers mouvements
reports-booked = Comptabilisé le
reports-received = Mouvement le
reports-document = Document
reports-download-csv = Télécharger le journal en CSV
reports-download-json = En JSON
reports-download-xlsx = Journal en XLSX
reports-taxes = Taxes
reports-taxes-text = Factures moins avoirs, selon le jour qu’ils indiquent.
reports-taxes-chargeback = Une rétrofacturation reprend de l’argent sans qu’un avoir la suive : les taxes ici dépassent celles des mouvements ci-dessus du montant de la taxe des rétrofacturations.
reports-country = Pays
reports-state = État
reports-category = Catégorie
reports-documents = Documents
reports-taxes-csv = Télécharger les taxes en CSV
reports-taxes-json = Taxes en JSON
reports-taxes-days = Taxes par jour
reports-taxes-days-xlsx = Taxes par jour en XLSX
reports-taxes-payments-xlsx = Taxes par jour de paiement en XLSX
reports-taxes-oss = Guichet unique
reports-taxes-oss-xlsx = Guichet unique en XLSX
reports-taxes-xlsx = Taxes en XLSX
reports-taxes-none = Aucune facture ni aucun avoir n’a été émis pendant cette période. Une organisation sans vendeur n’en émet pas.

reports-sum = Somme
column-seq = Numéro
column-at = Moment
column-day = Comptabilisé le
column-kind = Mouvement
column-cart_id = Commande
column-transaction_id = Paiement
column-refund_id = Remboursement
column-amount = Montant
column-tax = Taxe
column-currency = Devise
column-gateway = Prestataire
column-provider_reference = Référence du prestataire
column-region = Pays de l’acheteur
column-list_price = Prix catalogue
column-discounts = Remises
column-voucher_discount = Remise du bon
column-voucher = Bon
column-campaign = Campagne
column-document_number = Document
column-tax_country = Lieu d’imposition
column-tax_state = État d’imposition
column-tax_rate = Taux de taxe (%)
column-language = Langue
column-reference = Référence de l’acheteur
column-metadata = Métadonnées
column-bank_day = Jour de la banque
column-bank_reference = Référence de la banque
column-tax_id = N° de TVA
column-reverse_charge = Autoliquidation
column-country = Pays
column-state = État
column-rate = Taux (%)
column-category = Catégorie
column-net = Net
column-count = Documents
column-payout = Versement
column-status = Statut
column-made_on = Émis le
column-payments = Paiements
column-refunds = Remboursements
column-disputes = Litiges
column-fees = Frais
column-returned = Versements revenus
column-other = Autres
column-rounding = Arrondi
column-difference = Écart
column-fee_tax = Taxe comprise dans les frais
column-movements = Mouvements
column-itemised = Détaillé
column-movement = Mouvement chez le prestataire
column-provider_kind = Type chez le prestataire
column-gross = Hors frais
column-fee = Frais du mouvement
column-balance = Autre solde
column-date = Jour
column-buyer = Acheteur
column-quarter = Trimestre
column-number = Nombre
tax-category-s = normal
tax-category-z = taux zéro
tax-category-e = exonéré
tax-category-ae = autoliquidation
tax-category-o = hors champ

### Vouchers

vouchers-title = Bons de réduction
vouchers-whole-seat = une place entière
vouchers-none-found = Aucun bon n’a ce code et cette campagne. Laissez un champ vide pour en voir davantage.
vouchers-none = { $organisation } n’a pas encore de bons. Créez le premier ci-dessous.
vouchers-new = Créer des bons
vouchers-code-help = De 3 à 40 lettres, chiffres, - et _. Vide : le service génère les codes.
vouchers-count = Nombre de codes
vouchers-count-help = Plus d’un seulement si vous ne choisissez pas le code.
vouchers-percentage = un pourcentage
vouchers-amount = un montant
vouchers-how-much = Valeur
vouchers-courses-help = Une clé de cours par ligne, par exemple course-v1:Northwind+ENG101+2026. Vide : tout ce que vend { $organisation }.
vouchers-new-submit = Créer les bons

## One voucher

voucher-used = Utilisé le
voucher-not-used = Pas encore utilisé.
voucher-terms = Conditions
voucher-for = Valable pour
voucher-courses = { PLURAL($n) ->
    [one] { $n } cours
   *[other] { $n } cours
}
voucher-programs = { PLURAL($n) ->
    [one] { $n } parcours
   *[other] { $n } parcours
}
voucher-everything = tout
voucher-change-text = La remise, et ce à quoi elle s’applique, restent telles que promises.
voucher-budget-in = Budget en { $currency }
voucher-until-help = Vide : sans date de fin.
voucher-end-text = Une fois expiré, il ne réduit plus les nouvelles commandes. Ce qui a été acheté avec lui reste inchangé.
voucher-end = Mettre fin à { $code } maintenant

## Its chart by day

voucher-chart = Utilisations des 30 derniers jours. Utilisé : { $up } ; libéré : { $down } ; maximum par jour : { $most }
voucher-chart-day = { $day } – utilisé : { $up } ; libéré : { $down }
voucher-chart-up = Utilisé : { $n }
voucher-chart-down = Libéré : { $n }

## The codes of vouchers, to be taken along

codes-title = Codes
codes-heading = { PLURAL($n) ->
    [one] { $n } code
   *[other] { $n } codes
}
codes-of-campaign = { PLURAL($n) ->
    [one] { $n } code de { $campaign }
   *[other] { $n } codes de { $campaign }
}
codes-csv = Les télécharger en CSV
codes-copy = À copier
codes-back = Retour aux bons
codes-take = Récupérer les codes de cette campagne

### Seats: places in a course that somebody has bought for others

seats-title = Places
seats-pools = Contingents de places
seats-item = Cours ou parcours
seats-bought = Achetées le
seats-taken = Prises
seats-none = { $organisation } n’a pas encore vendu de places. Qui achète plusieurs places dans un cours reçoit un contingent et les attribue à d’autres.

## One pool of seats

pool-taken = Places prises : { $used } sur { $seats }
pool-left = reste { $n }
pool-code = code
pool-order = la commande qui les a payées
pool-batch = Les adresses que vous avez envoyées
pool-holders = Qui a une place
pool-no-holders = Aucune adresse n’a encore de place. Saisissez des adresses ou transmettez le code.
pool-mail-failed = L’e-mail n’est pas arrivé :
pool-take-back = Reprendre la place…
pool-take-back-pending = La place redevient libre, et l’invitation prend fin.
pool-take-back-enrolled = { $email } perd l’accès à { $item }. La place reste consommée.
pool-take-back-submit = Reprendre la place de { $email }
pool-give = Attribuer des places à des adresses
pool-give-help = Une par ligne, 500 au maximum. Les personnes qui ont un compte sont inscrites et prévenues par e-mail ; les autres adresses reçoivent une invitation.
pool-give-submit = Attribuer les places
pool-remind = Relancer
pool-remind-text = Envoie un e-mail aux 100 adresses sans compte qui attendent depuis le plus longtemps ; à chacune au plus une fois par jour.
pool-remind-submit = Relancer les personnes sans compte

### Batches of enrollments

batches-title = Lots
batches-heading = Lots d’inscriptions
batches-submitted = Envoyé le
batches-failed = Échecs
batches-none = L’équipe de { $organisation } n’a envoyé aucun lot au cours des 90 derniers jours.
batches-new = Inscrire ou désinscrire de nombreuses adresses
batches-file = Fichier CSV
batches-file-help = Une colonne email et, si les lignes diffèrent, course_id, mode, action et language. 5000 lignes au maximum.
batches-paste = Ou collez les lignes
batches-course = Cours des lignes qui n’en indiquent pas
batches-mode = Mode des lignes qui n’en indiquent pas
batches-show = Afficher les lignes
batches-nothing-yet = Rien n’est encore exécuté.

## Before a batch is submitted

rows-title = Envoyer ?
rows-heading = { PLURAL($n) ->
    [one] Envoyer { $n } ligne ?
   *[other] Envoyer { $n } lignes ?
}
rows-good = { PLURAL($n) ->
    [one] { $n } ligne sera traitée. Une adresse inscrite qui n’a pas de compte reçoit une invitation.
   *[other] { $n } lignes seront traitées, l’une après l’autre. Une adresse inscrite qui n’a pas de compte reçoit une invitation.
}
rows-faulty = { PLURAL($n) ->
    [one] { $n } ligne ne peut pas être exécutée, pour les raisons ci-dessous. Elle seule échouera ; corrigez-la dans le fichier ou laissez-la telle quelle.
   *[other] { $n } lignes ne peuvent pas être exécutées, pour les raisons ci-dessous. Elles seules échoueront ; corrigez-les dans le fichier ou laissez-les telles quelles.
}
rows-back = Retour, ne rien envoyer
rows-submit = { PLURAL($n) ->
    [one] Envoyer { $n } ligne
   *[other] Envoyer { $n } lignes
}
rows-some = Lignes : { $shown } sur { $total }, les erreurs d’abord
rows-fault = Erreur

## One batch

batch-title = Lot
batch-all-rows = Toutes les lignes
batch-failed-rows = Lignes en échec
batch-download-failed = Télécharger les lignes en échec
batch-download-all = Télécharger toutes les lignes
batch-result = Résultat
batch-none-failed = Aucune ligne n’a échoué.
batch-no-rows = Aucune ligne sur cette page.

### The catalog: what the shop sells

catalog-title = Catalogue
catalog-filter = Nom ou clé de cours
catalog-intro = Les modifications sont visibles dans la boutique en quelques secondes. Les commandes déjà passées gardent leur prix. Une synchronisation avec la plateforme de cours conserve ce qui est réglé ici ; une importation peut le remplacer.
catalog-not-published = non publié
catalog-in-no-list = hors liste
catalog-on-sale = en vente
catalog-no-mode-on-sale = aucun mode en vente
catalog-starts = commence le { $date }
catalog-publish = Publié : la boutique l’affiche et le vend
catalog-hide = Hors liste : accessible uniquement par son lien
catalog-sell = En vente
catalog-save = Enregistrer ce qu’affiche la boutique
catalog-until = jusqu’au { $date }
catalog-from = à partir du { $date }
catalog-price = Prix en { $currency }
catalog-save-mode = Enregistrer { $mode }
catalog-dated = Prix à durée limitée
catalog-dated-text = Le prix le plus bas en vigueur est facturé. Indiquez un prix ou un pourcentage. Une date vide n’est pas une limite.
catalog-dated-name = Nom, par exemple Inscription anticipée
catalog-dated-percent = Ou remise en pourcentage
catalog-dated-add = Ajouter le prix à durée limitée
catalog-waiting-list = Liste d’attente
catalog-waiting = En attente : { $waiting } ; place proposée : { $offered } ; achetées : { $bought } ; expirées ou refusées : { $lapsed }.
catalog-first-email = Adresse e-mail à servir en premier
catalog-first = Mettre en tête
catalog-dated-remove = Retirer { $name }
catalog-no-mode = Le cours n’a aucun mode : rien n’en est vendu. Les modes viennent de la plateforme de cours ou d’une importation.
catalog-none-found = Aucun cours de { $organisation } ne contient ce texte dans son nom ou sa clé.
catalog-none = { $organisation } n’a pas encore de cours. Ils viennent de la plateforme de cours ou d’une importation, qu’un opérateur met en place.

### Events, and the endpoints that receive them

events-title = Événements
events-disabled = désactivé
events-failing = en échec
events-enabled = activé
events-gets = Reçoit { $types }.
events-waiting = { PLURAL($n) ->
    [one] { $n } événement en attente.
   *[other] { $n } événements en attente.
}
events-failing-since = Aucune livraison n’a réussi depuis le { $date }.
events-disabled-on = Désactivé le { $date } :
events-enable-text = Faites d’abord réparer le système destinataire. Une fois réactivé, il reçoit tout ce qu’il a manqué.
events-enable = Réactiver
events-change = Modifier ses types ou son secret, ou le retirer
events-types = Événements qu’il reçoit
events-save-types = Enregistrer les types
events-secret-text = Un nouveau secret s’affiche une seule fois, à la page suivante. Pendant un jour, le secret actuel signe en parallèle.
events-secret = Créer un nouveau secret
events-remove-text = { PLURAL($n) ->
    [one] Une fois retiré, il ne reçoit plus d’événements, et { $n } événement en attente n’est pas livré. Le flux les conserve tous.
   *[other] Une fois retiré, il ne reçoit plus d’événements, et { $n } événements en attente ne sont pas livrés. Le flux les conserve tous.
}
events-remove = Retirer { $url }
events-deliveries = Livraisons à { $url }
events-event = Événement
events-happened = Survenu le
events-attempts = Tentatives
events-last-answer = Dernière réponse
events-next = prochaine tentative le { $date }
events-failed = { PLURAL($n) ->
    [one] La dernière tentative de { $n } événement a échoué.
   *[other] Les dernières tentatives de { $n } événements ont échoué.
}
events-send-failed = Tous les renvoyer
events-send-again = Renvoyer
events-send-this-again = Renvoyer { $type } du { $date }
events-none-yet = Aucun événement n’a encore été destiné à ce point de terminaison.
events-none = { $organisation } n’a pas de point de terminaison pour les événements. Vos techniciens vous indiquent une adresse ; les événements peuvent aussi être lus dans le flux.
events-new = Envoyer des événements à une adresse
events-new-text = La page suivante affiche, une seule fois, le secret qui signe les événements.
events-new-submit = Y envoyer les événements

## The page that shows a secret once

secret-title = Secret
secret-heading = Le secret qui signe les événements
secret-text = Transmettez-le dès maintenant aux techniciens du système destinataire, par un canal sûr : il ne pourra plus être affiché. S’il est perdu, créez-en un nouveau. Le secret que le destinataire utilise actuellement signe en parallèle pendant un jour.
secret-back = Retour aux événements

### The staff

staff-title = Équipe
staff-heading = Équipe de { $organisation }
staff-person = Personne
staff-roles = Rôles
staff-since = Depuis le
staff-remove = Retirer
staff-remove-person = Retirer { $email } de l’équipe
staff-add = Ajouter une personne ou modifier ses rôles
staff-email = Adresse e-mail de son compte
staff-support = Service client : e-mails, adresses, inscriptions, alertes
staff-finance = Finances : remboursements, rétractations, rapports
staff-manager = Responsable : bons, places, lots, équipe
staff-only-managers = Seul un responsable de votre organisme modifie cette liste.

### What the last form did

done-receipt = Le message est en cours d’envoi.
done-address = L’adresse a été corrigée et ce qui l’attendait a été transféré. La nouvelle adresse reçoit d’elle-même ses e-mails : le reçu et, sans compte, l’invitation.
done-alert = L’alerte est clôturée.
done-invoice = La facture a été corrigée. La nouvelle est en route vers l’acheteur.
done-invoice-asked = Le service financier est sollicité. La facture reste inchangée d’ici là.
done-invoice-refused = La demande est refusée. La facture reste inchangée.
done-invitation = L’invitation est en route.
done-refund = Le remboursement est en cours. Son statut figure ci-dessous.
done-payment = Le paiement est enregistré.
done-refund-arrived = Le remboursement est arrivé.
done-refund-back = Le remboursement est revenu. L’argent compte de nouveau comme le vôtre.
done-payment-returned = Le paiement ne compte plus.
done-payment-cancelled = La commande est terminée.
done-document = Le signalement est enregistré.
done-move = Le transfert est en cours. L’ancien accès prend fin dès que la plateforme de cours a confirmé le nouveau.
done-mails = L’e-mail est en cours d’envoi.
done-enrollments = La demande a été renvoyée à la plateforme de cours.
done-withdrawal = La rétractation est tranchée.
done-dead-letters = Le message est réglé. S’il échoue de nouveau, il réapparaîtra dans cette liste.
done-staff = L’équipe a été modifiée.
done-vouchers = { PLURAL($n) ->
    [one] { $n } bon est prêt.
   *[other] { $n } bons sont prêts.
}
done-voucher = Le bon a été modifié.
done-assigned = Les adresses sont enregistrées et reçoivent leurs places une à une.
done-freed = La place est de nouveau libre.
done-revoked = L’accès a pris fin. La place reste consommée.
done-no-seat = L’adresse n’avait plus de place. Rien n’a été fait.
done-reminded = Les personnes sans compte qui n’ont pas reçu d’e-mail depuis un jour sont relancées.
done-none-reminded = Aucune adresse n’a été relancée : chacune a un compte ou a reçu un e-mail depuis moins d’un jour.
done-batch = Les lignes sont enregistrées et traitées une à une.
done-catalog = Le cours est modifié. La boutique l’affiche en quelques secondes.
done-endpoints = Le point de terminaison est réactivé. Il reçoit les événements qu’il a manqués.
done-endpoint-changed = Le point de terminaison est modifié. Si vous n’avez pas vu son secret, créez-en un nouveau.
done-deliveries = L’événement est en cours de renvoi.
done-deliveries-failed = Tous les événements qui avaient échoué sont de nouveau en route.
done-month = Le mois est clôturé.

### What went wrong: a title, and the next step

problem-signed-out = Vous êtes déconnecté
problem-signed-out-text = Connectez-vous dans un autre onglet de ce navigateur, puis revenez ici. Rien n’a encore été fait.
problem-sign-in = Se connecter
problem-not-allowed = Vous n’êtes pas autorisé à faire cela
problem-not-allowed-text = Demandez ce rôle à un responsable de votre organisme, ou revenez en arrière.
problem-not-found = Introuvable
problem-not-found-text = Vérifiez le lien ou refaites une recherche.
problem-file = Cela n’a pas fonctionné
problem-file-text = Rien n’a été fait. Revenez en arrière et envoyez un fichier plus petit, au format CSV.
problem-sent-before = Ce formulaire a déjà été envoyé
problem-sent-before-text = Il avait alors été envoyé avec d’autres valeurs. Vérifiez d’abord ce qui a été fait ; renvoyer le formulaire depuis cette page exécute l’action une nouvelle fois.
problem-invalid = Cela n’a pas fonctionné
problem-invalid-text = Corrigez ce qui est indiqué ci-dessous et renvoyez le formulaire, ou revenez en arrière.
problem-running = Cette action est déjà en cours
problem-running-text = Patientez un instant, puis vérifiez avant de recommencer quoi que ce soit.
problem-contradiction = Cela contredit ce qui est enregistré
problem-contradiction-text = Rien n’a été modifié. Comparez avec ce qu’indique l’autre système.
problem-no-answer = Pas encore de réponse
problem-no-answer-text = L’action peut encore aboutir. Vérifiez-le ; renvoyer ce formulaire n’exécute rien deux fois.
problem-too-many = Trop de demandes
problem-too-many-text = Patientez un instant, puis renvoyez le formulaire.
problem-unavailable = Cela ne fonctionne pas pour le moment
problem-unavailable-text = Rien n’a été fait. Réessayez dans un instant ; renvoyer ce formulaire n’exécute rien deux fois.
problem-send-again = Renvoyer ce formulaire
problem-start = Aller à l’accueil
problem-email = Adresse e-mail

## Faults of a form: what is wrong with { $field }

problem-fault = { $field } : { $fault }.
fault-order = Commande
fault-address = Adresse
fault-reason = Motif
fault-amount = Montant
fault-reference = La référence
fault-day = Le jour
fault-enrollment = Inscription
fault-mail = E-mail
fault-message = Message
fault-endpoint = Point de terminaison
fault-event = Événement
fault-line = Ligne
fault-course = Cours
fault-waive = Case « même si le prix diffère »
fault-file = Fichier

## Refusals as sentences. The key of each is what the programs say in English.

refusal-your-account-lacks-the-role-support = Votre compte n’a pas le rôle service client.
refusal-your-account-lacks-the-role-finance = Votre compte n’a pas le rôle finances.
refusal-your-account-lacks-the-role-manager = Votre compte n’a pas le rôle responsable.
refusal-is-required-for-the-record = À indiquer, pour le dossier : { $field }.
refusal-is-not-an-email-address = Ce n’est pas une adresse e-mail : { $field }.
refusal-is-not-a-number-such-as-12-50 = « { $field } » n’est pas un nombre, comme 12,50.
refusal-is-not-clear-write-1000-for-a-thousand-and-1-00-for-one = « { $field } » n’est pas clair : écrivez 1000 pour mille et 1,00 pour un.
refusal-is-the-order-s-address-already = La commande a déjà cette adresse.
refusal-was-bought-by-an-account-whose-owner-changes-the-address-at-the-course-platform = Un compte l’a achetée : son titulaire change l’adresse sur la plateforme de cours.
refusal-waits-for-its-payment-or-has-ended-only-an-order-that-is-complete-can-be-corrected = La commande attend son paiement ou est terminée. Seule une commande complète peut être corrigée.
refusal-has-opened-a-course-under-this-address-already-or-was-upgraded-or-moved = Un cours a déjà été ouvert sous cette adresse, ou la commande a été mise à niveau ou transférée.
refusal-has-the-same-order-already = Cette adresse a déjà la même commande.
refusal-is-not-a-course-of-the-organisation = Votre organisation n’a aucun cours avec cette clé.
refusal-is-not-on-sale-in-this-mode-or-the-buyer-has-it-already = Le cours n’est pas en vente dans ce mode, ou l’acheteur l’a déjà.
refusal-gives-no-access-that-can-be-moved = La ligne ne donne aucun accès transférable.
refusal-is-what-the-line-gives-already = La ligne donne déjà cela.
refusal-leads-to-what-this-person-has-already = La personne a déjà ce cours.
refusal-is-sold-out = Le cours est complet.
refusal-is-being-moved-the-course-platform-has-not-confirmed-it-yet = La ligne est en cours de transfert : la plateforme de cours ne l’a pas encore confirmé.
refusal-has-no-invoice = La commande n’a pas de facture.
refusal-has-refunds-so-its-invoice-stays-as-it-is = La commande a des remboursements, sa facture reste donc inchangée.
refusal-was-corrected-three-times-already = La facture a déjà été corrigée trois fois.
refusal-changes-the-tax-refund-the-order-and-sell-it-again = Cette adresse change la taxe : remboursez la commande et vendez-la de nouveau.
refusal-waits-for-no-other-invoice = Le service financier n’est plus sollicité pour cette commande.
refusal-has-no-receipt-it-is-not-paid-or-its-courses-are-not-open-yet = Il n’y a pas de reçu : la commande n’est pas payée ou ses cours ne sont pas encore ouverts.
refusal-has-no-open-alert = Le paiement n’a plus d’alerte ouverte.
refusal-is-the-last-manager-an-operator-can-change-that = C’est le dernier responsable ; un opérateur peut le changer.
refusal-is-not-over-yet = Le mois n’est pas encore terminé.
refusal-is-closed-already = Le mois est déjà clôturé.
refusal-is-not-a-month-such-as-2026-11 = « { $field } » n’est pas un mois, comme 2026-11.
refusal-is-not-of-an-account-that-has-bought-or-enrolled-here-an-operator-can-add-it = Aucun compte avec cette adresse n’a acheté ou n’est inscrit ici ; un opérateur peut l’ajouter.
