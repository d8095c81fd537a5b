# French. Address the reader as vous.

### Mails

## Every mail

mail-order = Commande { $order }
mail-invoice-attached = La facture { $number } est jointe à ce message.
mail-credit-note-attached = L’avoir { $number } est joint à ce message.
mail-open-course = Accéder à votre cours
mail-begins = Début, également dans le fichier d’agenda joint :
mail-begins-at = { $course } : { $moment } ({ $zone })
mail-open-invoice = Voir votre facture
mail-open-credit-note = Voir votre avoir
mail-create-account = Créer votre compte
mail-reason = { $organisation } vous envoie ce message parce qu’une commande ou une inscription existe à cette adresse.
mail-contact = Des questions ? Répondez à ce message ou écrivez à { $email }.

## Receipt: after an order was paid or was free

receipt-subject = Votre reçu de { $organisation }
receipt-heading = Merci pour votre achat
receipt-bought = Voici ce que vous avez acheté auprès de { $organisation } le { $date } :
receipt-voucher = Le bon { $code } vous a fait économiser { $amount }.
receipt-courses = Vos cours se trouvent dans votre compte. Si vous n’en avez pas encore, un autre message vous explique comment le créer avec cette adresse e-mail.
receipt-agreed = Le { $date }, vous avez accepté :
receipt-agreed-terms = les conditions générales de vente
receipt-agreed-version = les conditions générales de vente, version { $version }
receipt-agreed-begin = que nous commencions avant la fin du délai de rétractation, comme vous l’avez expressément demandé
receipt-agreed-service = de perdre votre droit de rétractation une fois le service pleinement exécuté
receipt-agreed-content = de perdre ainsi votre droit de rétractation

invoice-subject = Votre facture de { $organisation }
invoice-heading = Merci pour votre commande
invoice-ordered = Voici ce que vous avez commandé auprès de { $organisation } le { $date } :
invoice-pay = Veuillez virer { $amount } sur ce compte au plus tard le { $date }. Indiquez la référence { $reference }.
cancelled-subject = Votre facture de { $organisation } a été annulée
cancelled-heading = Votre facture a été annulée
cancelled-text = La commande a été annulée : il n’y a rien à payer, et les cours ne sont plus accessibles.
transfer-subject = Comment payer votre commande auprès de { $organisation }
document-again-subject = Votre document de { $organisation }
document-again-heading = Voici votre nouveau lien
document-again-text = Un nouveau lien a été demandé sur la page de ce document. Vous n’avez pas besoin de conserver les précédents.
document-follows-subject = Votre document de { $organisation }
document-follows-heading = Voici votre document
document-follows-text = Il se rapporte à cette commande. Si nous vous avons déjà envoyé une version antérieure, il la remplace.

## An invoice that was corrected

corrected-subject = Votre facture corrigée de { $organisation }
corrected-heading = Votre facture a été corrigée
corrected-text = La nouvelle facture remplace la précédente. Rien d’autre ne change dans votre commande.

## A place that has moved to another course or person

moved-subject = Un changement dans votre commande chez { $organisation }
moved-heading = Votre place a été transférée
moved-to-course = Votre place dans { $from } est maintenant dans { $to }. Rien n’est facturé ni remboursé pour cela.
moved-to-person = Votre place dans { $to } appartient maintenant à une autre personne, comme demandé. Rien n’est facturé ni remboursé pour cela.
access-ends-subject = Votre accès à un cours de { $organisation } se termine bientôt
access-ends-heading = Votre accès se termine bientôt
access-ends-text = Le { $date } est le dernier jour de votre accès à { $course }.
access-ends-again = Si vous l’achetez de nouveau, la nouvelle période suit l’actuelle.
access-over-subject = Votre accès à un cours de { $organisation } est terminé
access-over-heading = Votre accès est terminé
access-over-text = Le { $date } était le dernier jour de votre accès à { $course }.
access-buy-again = Acheter de nouveau

## The waiting list of a full course

waiting-confirm-subject = Une place dans un cours de { $organisation } : merci de confirmer
waiting-confirm-heading = Voulez-vous attendre une place ?
waiting-confirm-text = { $course } est complet. Vous, ou une autre personne avec cette adresse, avez demandé à être prévenu quand une place se libère. Si ce n’était pas vous, vous n’avez rien à faire : cette adresse sera oubliée après une semaine.
waiting-listed-subject = Vous êtes sur la liste d’attente de { $organisation }
waiting-listed-heading = Vous êtes sur la liste d’attente
waiting-listed-text = Quand une place se libère dans { $course } et que c’est votre tour, vous recevez un e-mail. Cette place vous est alors réservée pendant un certain temps.
waiting-leave-hint = Vous pouvez quitter la liste à tout moment :
waiting-offered-subject = Une place est libre dans un cours de { $organisation }
waiting-offered-heading = Une place est libre pour vous
waiting-offered-text = Une place dans { $course } vous est réservée jusqu’au { $date } à { $time } ({ $zone }). Ensuite, elle va à la personne suivante.
waiting-code = Le code { $code } donne la place à cette adresse e-mail uniquement.

## Refund

refund-subject = Votre remboursement de { $organisation }
refund-heading = Votre remboursement de { $amount }
refund-lines = { $organisation } vous a remboursé { $amount } sur votre commande :
refund-time = L’argent revient par le moyen de paiement que vous avez utilisé. Il peut mettre jusqu’à dix jours à arriver.

## Invitation: to somebody who has courses but no account yet

invitation-subject = Votre place chez { $organisation }
invitation-heading = Une place vous est réservée
invitation-courses = { $organisation } vous a réservé une place dans :
invitation-how = Pour commencer à apprendre, créez votre compte avec cette adresse e-mail.
invitation-afterwards = Vos cours apparaîtront dans votre compte dès qu’il sera actif. Si vous avez déjà un compte sous une autre adresse, créez-en un avec celle-ci ou demandez à { $organisation } de la changer.
invitation-unexpected = Si vous n’attendiez pas ce message, vous pouvez l’ignorer : rien ne se passe sans vous.

## Seats ready: to somebody who bought places for others

seats-subject = Vos places de { $organisation }
seats-heading = { PLURAL($seats) ->
    [one] Votre place est prête
   *[other] Vos { $seats } places sont prêtes
}
seats-ready = { PLURAL($seats) ->
    [one] Vous pouvez maintenant attribuer { $seats } place pour { $item } de { $organisation }.
   *[other] Vous pouvez maintenant attribuer { $seats } places pour { $item } de { $organisation }.
}
seats-manage = Attribuez-les à des personnes par leur adresse e-mail, voyez qui en a une et reprenez des places.
seats-open = Gérer vos places
seats-link = Ce lien ouvre vos places pendant un an. Ne le donnez qu’aux personnes qui peuvent les gérer.
seats-code = Envoyez ce code à d’autres personnes : chacune peut prendre une place en commandant { $item } avec ce code.
seats-code-too = Vous pouvez aussi envoyer ce code à d’autres personnes : chacune peut prendre une place en commandant { $item } avec ce code.

## Seat assigned: to somebody for whom another person has bought a place. { $giver } is that person's address, or the seller

seat-subject = Votre place chez { $organisation }
seat-heading = Vous avez une place pour { $item }
seat-heading-reminder = Votre place pour { $item } vous attend toujours
seat-given = { $giver } vous a attribué une place pour { $item }, chez { $organisation }.
seat-in-account = Vous la trouverez dans votre compte.
seat-afterwards = Vos cours apparaîtront dans votre compte dès qu’il sera actif. Si vous avez déjà un compte sous une autre adresse, demandez à { $giver } d’utiliser celle-là.
seat-unexpected = Si vous n’attendiez pas ce message, vous pouvez l’ignorer.
gift-subject = Un cadeau pour vous chez { $organisation }
gift-heading = { $giver } vous offre { $item }
gift-planned-heading = Votre cadeau est prêt
gift-planned = { $recipient } recevra la place le { $date }.
gift-given-now = Il est en route vers { $recipient }.
gift-change = D’ici là, vous pouvez l’attribuer à quelqu’un d’autre.

## Withdrawal from the contract

withdrawal-subject = Votre rétractation auprès de { $organisation }
withdrawal-heading = Votre rétractation a été reçue
withdrawal-received = { $organisation } a reçu votre rétractation le { $date } à { $time } :
withdrawal-name = Nom : { $name }
withdrawal-email = E-mail : { $email }
withdrawal-keep = Veuillez conserver ce message : il confirme ce que vous avez déclaré et quand.
withdrawal-unproved = Rien ne montre encore que vous êtes l’acheteur. La rétractation compte à partir du moment indiqué ci-dessus et sera exécutée le { $date }. Si vous ne l’avez pas déclarée, dites-le avant : rien ne se passera avant que { $organisation } ne vous ait interrogé.
withdrawal-object = Cette rétractation ne vient pas de moi
withdrawal-refused-subject = Votre rétractation auprès de { $organisation } n’a pas été acceptée
withdrawal-refused-heading = Votre rétractation n’a pas été acceptée
withdrawal-refused = { $organisation } a examiné la rétractation que vous avez déclarée le { $date } et ne l’a pas acceptée :
withdrawal-disagree = Si vous n’êtes pas d’accord, veuillez écrire à { $organisation }.

### Mails, pages and invoices

item-seats = { PLURAL($seats) ->
    [one] { $item }, { $seats } place
   *[other] { $item }, { $seats } places
}
order-tax = Taxe
order-tax-included = dont taxe
order-total = Total
# The link of receipts, and the title of the page to which it leads.
withdraw-here = Renoncer au contrat ici

# The buttons of mails about a waiting list, and of the page to which they lead.
waiting-confirm = Oui, m’inscrire sur la liste
waiting-leave = Quitter la liste
waiting-buy = Prendre la place
waiting-decline = Je n’en veux pas

### Pages

## The payment page

page-payment = Paiement – { $organisation }
page-your-order = Votre commande
page-pay = Payer { $amount }
page-loading = Chargement…
page-moment = Un instant…
page-back = Retour à { $shop }
page-no-script = Le paiement nécessite JavaScript, qui est désactivé dans votre navigateur.
page-no-provider = Le prestataire de paiement est injoignable. Veuillez recharger cette page dans un instant.
page-failed = Ce paiement n’a pas abouti. Veuillez réessayer ou utiliser une autre carte.
page-unfinished = Le paiement n’a pas été terminé.
page-again = Cela n’a pas fonctionné. Veuillez réessayer.
page-confirming = Nous attendons la confirmation de votre paiement…
page-unconfirmed = Votre paiement n’est pas encore confirmé. Vous recevrez un message dès qu’il le sera ; veuillez ne pas payer de nouveau.
page-transfer = Veuillez virer { $amount } sur ce compte au plus tard le { $date }. Indiquez la référence, afin que votre paiement soit identifié.
page-transfer-account = Compte
page-transfer-reference = Référence
transfer-code = Scannez ce code avec l’application de votre banque pour remplir le virement.
page-transfer-partly = Reçu : { $received }. Reste à payer : { $open }.
page-transfer-later = Vous recevrez un message dès que votre paiement sera arrivé ; vous aurez alors accès à vos cours.

## The standing of an order: a word for lists, sentences for its buyer

standing-open = non terminée
standing-waiting = en attente du paiement
standing-at-bank = en attente de la banque
standing-transfer = en attente du virement
standing-on-account = facture à payer
standing-overdue = facture en retard
standing-opening = payée
standing-registration = en attente de l’inscription
standing-refused = accès refusé
standing-complete = terminée
standing-ended = accès terminé
standing-partly-refunded = remboursée en partie
standing-refunded = remboursée
standing-disputed = paiement contesté
standing-lost = reprise par la banque
standing-cancelled = annulée
standing-expired = expirée
standing-replaced = remplacée
standing-payment-open = Cette commande n’est pas encore terminée. Vous pouvez continuer dans la boutique.
standing-payment-free = Votre commande est terminée.
standing-payment-waiting = Votre paiement n’est pas encore confirmé. Cette page l’affichera dès qu’il le sera.
standing-payment-at-bank = Nous attendons votre banque, ce qui peut prendre quelques jours. Vous recevrez un message dès que votre paiement sera arrivé ; veuillez ne pas payer de nouveau.
standing-payment-transfer = Nous attendons votre virement. Vous recevrez un message dès qu’il sera arrivé.
standing-payment-on-account = Veuillez payer la facture au plus tard à son échéance.
standing-payment-overdue = La facture est en retard de paiement. Veuillez la payer maintenant.
standing-payment-paid = Merci, votre paiement est arrivé.
standing-payment-partly-refunded = Une partie de cette commande a été remboursée.
standing-payment-refunded = Cette commande a été remboursée.
standing-payment-disputed = Il a été demandé à votre banque de reprendre ce paiement, et elle n’a pas encore décidé.
standing-payment-lost = Votre banque a repris ce paiement.
standing-payment-cancelled = Cette commande a été annulée. Vous pouvez recommencer dans la boutique.
standing-payment-expired = Cette commande n’a pas été payée à temps. Vous pouvez recommencer dans la boutique.
standing-payment-replaced = Cette commande a été remplacée par une autre, et votre banque traite encore son paiement. Veuillez ne pas la payer de nouveau.
standing-access-opening = L’accès à vos cours est en cours d’ouverture.
standing-access-registration = Vos cours s’ouvriront dès que vous vous inscrirez avec votre adresse.
standing-access-open = Vos cours sont dans votre compte.
standing-access-seats = Vous pouvez attribuer les places.
standing-access-refused = La plateforme de cours a refusé l’accès ; l’organisme s’en occupe.
standing-access-ended = L’accès aux cours a pris fin.
standing-access-account = Vos cours sont dans le compte de votre adresse, dès qu’il existe.
status-replaced = Ce paiement a été remplacé par un autre. Veuillez terminer ce dernier ou recommencer dans la boutique.

## The page of withdrawal, in two steps. Article 11a of Directive 2011/83/EU asks for the words of withdraw-here (above) and
## withdraw-confirm, or others as unambiguous: these are those of its official version, where the language has one

withdraw-confirm = Confirmer la rétractation
withdraw-intro = Ce formulaire vous permet de vous rétracter d’un contrat. Vous n’avez besoin ni d’un compte ni d’un motif.
withdraw-intro-shop = Ce formulaire vous permet de vous rétracter de votre contrat avec { $organisation }. Vous n’avez besoin ni d’un compte ni d’un motif.
withdraw-link-expired = Le lien que vous avez suivi n’est plus valable. Vous pouvez tout de même déclarer votre rétractation ici.
withdraw-order = Numéro de commande ou de facture
withdraw-order-hint = Tel qu’il figure sur votre reçu.
withdraw-name = Votre nom
withdraw-email = Votre adresse e-mail
withdraw-email-hint = L’adresse de votre commande. Nous y confirmerons votre rétractation.
withdraw-items = À quoi renoncez-vous ?
withdraw-item = Cours ou programme
withdraw-continue = Continuer
withdraw-check = Veuillez vérifier votre déclaration : je me rétracte du contrat portant sur cette commande.
withdraw-change = Modifier
withdraw-correct = Veuillez corriger :
withdraw-no-order = Saisissez le numéro de votre commande ou de votre facture.
withdraw-no-name = Saisissez votre nom.
withdraw-no-email = Saisissez votre adresse e-mail, par exemple nom@example.com.
withdraw-no-item = Choisissez au moins un élément.
withdraw-received = Votre rétractation a été reçue
withdraw-received-at = Nous avons reçu votre déclaration le { $date } à { $time }.
withdraw-acknowledged = Si elle concerne une commande de cette adresse, vous recevrez par e-mail une confirmation qui en reprend le contenu.
withdraw-confirmed = Vous recevrez par e-mail une confirmation qui en reprend le contenu.
withdraw-objection = Vous n’avez pas fait cette déclaration ?
withdraw-objection-text = Quelqu’un a déclaré la rétractation de votre commande sans prouver qu’il s’agissait de vous. Si ce n’était pas vous, dites-le ici. Rien ne se passera avant que le vendeur ne vous ait interrogé.
withdraw-objected = Merci. Le vendeur examinera d’abord votre message ; d’ici là, votre commande reste inchangée.
withdraw-object-late = Il n’y a plus rien à contester : cette rétractation a déjà été tranchée, retirée ou contestée, ou ce lien n’est plus valable.

## The page of a waiting list

waiting-page-title = Liste d’attente
waiting-page-full = { $course } est complet. Voulez-vous être prévenu quand une place se libère ?
waiting-page-listed = Vous êtes sur la liste d’attente de { $course }. Vous recevrez un e-mail quand ce sera votre tour.
waiting-page-offered = Une place dans { $course } vous est réservée jusqu’au { $date } à { $time } ({ $zone }).
waiting-page-ended = Vous n’êtes pas, ou plus, sur la liste d’attente de ce cours.

## The page for buying what a link of the course platform names

buy-seats-offer = Places pour d’autres, prix d’une place
buy-upgrade = passage depuis { $mode }
buy-voucher-accepted = Le code { $code } est appliqué.
buy-voucher-refused = Le code { $code } ne s’applique pas à cette commande. Voici le prix sans ce code.
buy-seats = Nombre de places
buy-name = Nom
buy-line1 = Numéro et rue
buy-line2 = Complément d’adresse
buy-city = Ville
buy-state = État ou province
buy-postal-code = Code postal
buy-country = Pays (deux lettres, par exemple FR)
buy-consent-terms = J’accepte les conditions générales de vente.
buy-consent-begin-now = Je veux commencer avant la fin du délai de rétractation.
buy-consent-loses-right = Je sais que je perds ainsi mon droit de rétractation.
buy-terms = Conditions générales de vente
buy-enroll = S’inscrire au cours
buy-continue = Continuer vers le paiement
buy-back = Retour à vos cours

## Instead of that page

buy-not-sold = Ceci n’est pas en vente
buy-not-sold-text = Le cours ou son certificat ne peut pas ou ne peut plus être acheté ici. Retournez au cours et rouvrez la page depuis celui-ci.
buy-apart = Veuillez acheter ces cours un par un
buy-apart-text = Ces cours sont vendus par des organismes différents. Ouvrez chaque cours et achetez-le depuis sa page.
buy-inactive = Veuillez confirmer votre adresse e-mail
buy-inactive-text = Vous avez reçu un e-mail contenant un lien lors de votre inscription. Ouvrez ce lien, puis revenez sur cette page.
buy-held = Vous l’avez déjà
buy-held-text = Il n’y a rien à payer. Le cours est dans votre compte.
buy-refused = Cet achat n’est pas possible pour le moment
buy-refused-text = Le cours est peut-être complet, fermé aux inscriptions ou déjà dans votre compte.
buy-faulty = Veuillez vérifier votre saisie
buy-faulty-text = Revenez en arrière et corrigez :
# $label is buy-seats.
buy-faulty-seats = { $label } (de 1 à { $most })
buy-signed-out = Veuillez vous reconnecter
buy-signed-out-text = Votre session a expiré. Rouvrez la page depuis votre cours.
buy-not-admitted = Vous ne pouvez pas acheter auprès de cet organisme
buy-not-admitted-text = Il ne vend qu’à ses propres apprenants. Demandez-lui un accès.
buy-no-payments = Cette boutique n’accepte pas encore de paiements
buy-no-payments-text = Veuillez réessayer plus tard ou vous adresser à l’organisme.
buy-failed-text = Veuillez la rouvrir dans un instant. Rien ne vous a été débité.

## The page of a learner's orders

history-title = Vos commandes
history-none = Vous n’avez encore rien acheté.
history-refunded = { $amount } remboursés
history-invoice = Facture { $number }
history-credit-note = Avoir { $number }

## Instead of a page that cannot be shown

problem-expired = Ce lien a expiré
problem-expired-text = Les liens vers une commande ne fonctionnent que peu de temps. Si vous avez payé, il n’y a plus rien à faire : vous aurez accès à vos cours dès l’arrivée du paiement, et vous recevrez un reçu par e-mail. Pour voir votre commande, ou pour la payer si ce n’est pas encore fait, retournez à la boutique et connectez-vous.
problem-invalid = Ce lien n’est plus valable
problem-invalid-text = Les liens vers une commande ne fonctionnent que peu de temps. Veuillez vous connecter et rouvrir la commande dans la boutique.
problem-not-found = Commande introuvable
problem-not-found-text = Cette commande n’existe pas ou n’est pas la vôtre. Veuillez vérifier le lien.
problem-too-many = Trop de demandes
problem-too-many-text = Veuillez patienter un instant, puis rouvrir la page.
problem-other = Cette page ne peut pas être affichée pour le moment
problem-other-text = Veuillez la rouvrir dans un instant. Votre commande n’est pas concernée.
problem-unseen = Vous n’êtes pas connecté ici
problem-unseen-text = La plateforme vous a connecté, mais votre navigateur ne le signale pas à cette page. Autorisez les cookies pour ce site, puis rouvrez la page.
problem-again-text = Veuillez la rouvrir dans un instant.
problem-document-text = Les liens vers les factures et les avoirs fonctionnent pendant 90 jours, et seulement en entier. Nous pouvons en envoyer un nouveau à l’adresse qui a reçu le premier message.
problem-document-send = Envoyer un nouveau lien
problem-document-sent = Un nouveau lien est en route
problem-document-sent-text = Consultez la boîte aux lettres qui a reçu le premier message. Cela peut prendre quelques minutes ; au plus trois messages sont envoyés par jour.
problem-invitation = Ce lien est incomplet
problem-invitation-text = Veuillez rouvrir le message et utiliser son bouton, ou copier le lien en entier. Vous pouvez aussi créer votre compte sans lui : avec l’adresse qui a reçu le message, vos cours y apparaîtront.

### Invoices and credit notes

document-invoice = Facture
document-credit-note = Avoir
document-number = Numéro
document-for-invoice = Sur la facture
document-issued = Date d’émission
document-supplied = Date de la prestation
document-place-of-supply = Lieu de la prestation
document-order = Commande
document-reference = Référence
document-paid-through = Payé par
document-due = Échéance
document-payment-reference = Référence de paiement
document-pay-to = Veuillez payer sur ce compte : { $account }
document-bank-transfer = Virement bancaire
document-billed-to = Facturé à
document-tax-id = N° de TVA intracommunautaire { $number }
document-description = Description
document-quantity = Quantité
document-each = { $price } l’unité, hors taxes
document-net = Net
document-rate = Taux
document-tax = Taxe
document-total = Total
document-total-credited = Total de l’avoir
# Such as: USt 19 % of 200.00. The tax's name is the seller's legal word for it.
document-tax-of = { $tax } { $rate } sur { $net }
document-converted-tax = Taxe en { $currency } : { $amount } (1 { $base } = { $rate } { $currency }, { $day }, { $source })
document-page = Page { $page } sur { $pages }
# { $mode } is the kind of enrollment, such as verified; it is not translated.
document-line = { $item } ({ $mode })
document-line-seats = { $item } ({ $mode }, places)
document-line-upgrade = { $item } ({ $mode }, passage depuis { $from })
document-voucher = Le bon { $code } a réduit les prix de { $amount }.
document-reverse-charge = Autoliquidation : la TVA est due par le preneur.
document-cleared-number = Numéro de l’administration
document-cleared = Validé
document-cleared-code = Scannez ce code pour vérifier ce document auprès de l’administration.
document-check-code = Scannez ce code pour vérifier ce document.

### The example shop

## On every page

shop-name = Boutique d’exemple
shop-skip = Aller au contenu
shop-courses = Cours
shop-programs = Parcours
shop-basket = Panier
shop-my-orders = Mes commandes
shop-my-seats = Mes places
shop-sign-in = Se connecter
shop-sign-out = Se déconnecter
shop-footer = Les cours de plusieurs organismes dans une boutique. Vous apprenez sur leur plateforme, avec un seul compte.
shop-language = Langue
shop-language-set = Changer
shop-country-demo = Pays (démonstration)
shop-country-none = Non choisi
shop-country-set = Choisir

## Lists

shop-hero-title = Apprenez auprès de gens de métier
shop-hero-text = Des cours d’académies indépendantes, avec certificat si vous le souhaitez. Commencez aujourd’hui, à votre rythme.
shop-search = Rechercher
shop-search-hint = Statistiques, menuiserie, sanskrit…
shop-courses-count = { PLURAL($count) ->
    [one] { $count } cours
   *[other] { $count } cours
}
shop-programs-count = { PLURAL($count) ->
    [one] { $count } parcours
   *[other] { $count } parcours
}
shop-organisations-count = { PLURAL($count) ->
    [one] { $count } académie
   *[other] { $count } académies
}
shop-filter-organisation = Filtrer par académie
shop-filter-topic = Filtrer par thème
shop-filter-all = Tous
shop-sort = Trier par
shop-sort-new = Nouveautés
shop-sort-rating = Note
shop-sort-price = Prix
shop-sort-name = Nom
shop-sort-set = Trier
shop-pages = Pages
shop-pages-back = Retour
shop-pages-next = Suite
shop-nothing-found = Aucun résultat
shop-nothing-found-hint = Essayez avec moins de mots ou un autre thème.
shop-show-all = Tout afficher
shop-programs-offer = Suivez plusieurs cours ensemble et économisez
shop-programs-all = Tous les parcours
shop-new = Nouveau
shop-free = gratuit
shop-instead-of = au lieu de
shop-price-until = { $name }, jusqu’au { $date }
shop-lowest-before = Prix le plus bas des 30 jours précédents : { $amount }
shop-about = environ { $amount }
shop-percent-off = −{ $percent }
shop-rated = Noté { $rating } sur 5
shop-not-for-sale = Pas en vente pour le moment

## A course or a program

shop-self-paced = À votre rythme
shop-scheduled = À dates fixes
shop-outline = Contenu
shop-outline-size = { PLURAL($sections) ->
    [one] { $sections } section
   *[other] { $sections } sections
}, { PLURAL($lessons) ->
    [one] { $lessons } leçon
   *[other] { $lessons } leçons
}
shop-lessons = { PLURAL($count) ->
    [one] { $count } leçon
   *[other] { $count } leçons
}
shop-access-days = { PLURAL($days) ->
    [one] Accès pendant { $days } jour
   *[other] Accès pendant { $days } jours
}
shop-access-until = Accès jusqu’au { $date }
shop-reviews = L’avis des participants
shop-choose = Choisissez comment apprendre
shop-seats-offer = Acheter des places pour une équipe
shop-seats-number = Nombre de places pour d’autres
shop-gift-offer = L’offrir à quelqu’un
shop-gift = Un cadeau
shop-gift-hint = Le destinataire reçoit la place et votre message le jour de votre choix. Sans adresse, vous attribuez la place vous-même.
shop-gift-email = Adresse du destinataire
shop-gift-giver = Votre nom, tel que le destinataire le lira
shop-gift-on = Jour (vide : tout de suite)
shop-gift-message = Votre message
shop-error-gift-on = Choisissez aujourd’hui ou un jour ultérieur, dans l’année.
shop-gift-alone = Un cadeau fait l’objet d’une commande à part : commandez-le sans les autres articles.
shop-add = Ajouter au panier
shop-not-for-sale-hint = L’organisme y donne accès sur invitation ou a clos les inscriptions.
shop-full = Ce cours est complet
shop-full-hint = Quand une place se libère et que c’est votre tour, vous recevez un e-mail, et la place vous est réservée pendant un certain temps.
shop-wait = Attendre une place
shop-waiting-listed = Vous êtes sur la liste d’attente.
shop-waiting-asked = Nous vous avons envoyé un e-mail. Merci d’y confirmer que vous voulez attendre.
shop-has-code = Avez-vous un code pour une place ?
shop-included = Compris
shop-starts = Commence le { $date }
shop-started = Déjà commencé : vous pouvez débuter dès aujourd’hui
shop-open-until = Ouvert jusqu’au { $date }
shop-certificate = Un certificat en cas de réussite
shop-receipt-included = Un reçu par e-mail
shop-duration-hours = { PLURAL($count) ->
    [one] { $count } heure
   *[other] { $count } heures
}
shop-duration-days = { PLURAL($count) ->
    [one] { $count } jour
   *[other] { $count } jours
}
shop-duration-weeks = { PLURAL($count) ->
    [one] { $count } semaine
   *[other] { $count } semaines
}
shop-duration-months = { PLURAL($count) ->
    [one] { $count } mois
   *[other] { $count } mois
}
shop-duration-years = { PLURAL($count) ->
    [one] { $count } an
   *[other] { $count } ans
}
shop-program-courses = Les cours, dans l’ordre
shop-achievements = Ce que vous aurez à la fin
shop-program-all = Tous les cours ensemble
shop-program-alone = Achetés un par un
shop-program-saved = Vous économisez
shop-program-single = Vendu cours par cours
shop-program-single-hint = Ce parcours n’a pas de prix propre. Choisissez parmi ses cours.
shop-program-certificates = Un certificat pour chaque cours réussi

## Modes

shop-mode-audit = Sans certificat
shop-mode-honor = Certificat sur l’honneur
shop-mode-verified = Certificat vérifié
shop-mode-professional = Professionnel
shop-mode-bootcamp = Bootcamp
shop-mode-executive-education = Formation de dirigeants
shop-mode-credit = Avec crédits universitaires
shop-mode-masters = Master

## The basket

shop-basket-title = Votre panier
shop-basket-empty = Votre panier est vide
shop-basket-empty-hint = Ajoutez un cours ou un parcours : il vous attendra ici.
shop-look-courses = Voir les cours
shop-start-again = Recommencer
shop-look-programs = Voir les parcours
shop-price-changed = Le prix a changé. Veuillez le vérifier.
shop-reverse-charge-applied = Aucune taxe n’est facturée : votre n° de TVA a été confirmé, votre entreprise déclare donc la taxe elle-même (autoliquidation).
shop-reverse-charge-invalid = La taxe est facturée : le registre de l’UE ne connaît pas ce n° de TVA. Veuillez le vérifier ou le retirer.
shop-reverse-charge-unavailable = La taxe est facturée, car le registre de l’UE ne peut pas confirmer le n° de TVA pour le moment. Pour acheter hors taxe, veuillez réessayer plus tard.
shop-baskets-others = Chaque académie a son propre panier. Vous avez aussi :
shop-basket-items = { PLURAL($count) ->
    [one] { $count } article
   *[other] { $count } articles
}
shop-basket-full = Votre panier est plein et rien n’a été ajouté. Veuillez d’abord commander ce qu’il contient ou en retirer un article.
shop-error-required = Veuillez remplir ce champ.
shop-error-check = Veuillez vérifier votre saisie.
shop-error-voucher = Ce code ne s’applique pas à cette commande.
shop-error-seats = Indiquez un nombre de places de 1 à 1000.
shop-error-item = Ceci ne peut pas être acheté pour le moment. Veuillez le retirer.
shop-error-items = Ces articles ne peuvent pas être achetés ensemble. Veuillez en retirer un.
shop-error-emails = Veuillez vérifier les adresses : une par ligne, 500 au maximum.
shop-seats-count = { PLURAL($count) ->
    [one] { $count } place
   *[other] { $count } places
}
shop-upgrade = passage depuis : { $mode }
shop-remove = Retirer
shop-item-course = Un cours
shop-item-program = Un parcours
shop-subtotal = Sous-total
shop-regional = Remise pour votre pays
shop-discount = Remise
shop-quote-until = Ces prix sont valables jusqu’au { $date }.
shop-voucher-line = Bon { $code }
shop-voucher = Bon de réduction
shop-voucher-apply = Appliquer
shop-voucher-accepted = accepté
shop-voucher-refused = refusé
shop-voucher-unknown = Ce code est inconnu.
shop-voucher-not_started = Il n’est pas encore valable.
shop-voucher-expired = Il n’est plus valable.
shop-voucher-exhausted = Il est épuisé.
shop-voucher-not_for_these_items = Il vaut pour d’autres cours.
shop-voucher-currency = Il vaut pour une autre monnaie.
shop-checkout = Commander
shop-sign-in-hint = avec un compte, vos cours sont disponibles aussitôt.
shop-email = Adresse e-mail
shop-email-hint = Nous y envoyons votre reçu ; vos cours se trouvent dans le compte créé avec cette adresse.
shop-billing = Adresse de facturation
shop-pay-by-invoice = Payer sur facture, en tant qu’entreprise
shop-invoice-company = Pour payer sur facture, indiquez l’entreprise et le n° de TVA intracommunautaire sous lequel le vendeur la connaît.
shop-invoice-sent = La facture vous est envoyée par e-mail.
shop-optional = (si elle doit figurer sur la facture)
shop-address-needed = (les champs marqués * sont nécessaires au paiement)
shop-field-name = Nom
shop-field-company = Entreprise
shop-field-tax_id = N° de TVA intracommunautaire
shop-field-line1 = Rue
shop-field-city = Ville
shop-field-postal_code = Code postal
shop-field-state = Région
shop-field-country = Pays
shop-consents = Avant d’acheter
shop-consents-missing = Avec cette adresse, il reste quelque chose à accepter. Veuillez lire ce qui est indiqué ci-dessous.
shop-terms = Lire les conditions générales de vente
shop-consent-terms = J’accepte les conditions générales de vente.
shop-consent-begin_now = Je veux commencer tout de suite, avant la fin du délai de rétractation.
shop-consent-loses_right = Je sais que je perds ainsi mon droit de rétractation.
shop-take = Suivre les cours gratuitement
shop-buy-for = Acheter pour { $amount }
shop-buy-hint = Vous payez à la page suivante. Les données de votre carte n’arrivent jamais dans cette boutique.

## Payment

shop-payment = Paiement
shop-leaving = Vous payez sur la page du prestataire
shop-leaving-hint = Elle s’ouvre toute seule. Vous revenez ensuite à votre commande.
shop-leave = Y aller maintenant
shop-pay-unavailable = Le prestataire de paiement est injoignable.
shop-pay-kept = Votre commande est conservée et rien n’a été débité. Veuillez réessayer, ou revenez en arrière pour choisir un autre moyen.
shop-pay-again = Réessayer

## Orders

shop-order-title = Votre commande
shop-order-number = Commande
shop-orders-title = Vos commandes
shop-orders-none = Vous n’avez pas encore de commande
shop-orders-none-hint = Vos achats apparaissent ici, avec leurs factures.
shop-timeline = Avancement de la commande
shop-step-placed = Commandée
shop-step-paid = Payée
shop-step-access = Accès
shop-step-receipt = Reçu
shop-step-invoice = Facture
shop-step-waiting = en attente du prestataire
shop-step-transfer = en attente de votre virement
shop-step-closed = non payée
shop-step-account = dans le compte de votre adresse, dès qu’il existera
shop-step-enrolled = vous avez accès à vos cours
shop-step-seats = vous pouvez distribuer les places
shop-step-working = un instant
shop-step-refused = refusé par la plateforme ; l’organisme s’en occupe
shop-step-ended = terminé
shop-step-mail = dans votre messagerie
shop-enrollment-none = pas encore
shop-enrollment-enrolled = inscrit
shop-enrollment-pending_registration = en attente d’un compte
shop-enrollment-removed = terminé
shop-enrollment-refused = refusé par la plateforme
shop-refund = Demander le remboursement
shop-refund-until = jusqu’au { $date }
shop-refunded = { $amount } remboursés
shop-documents = Factures et avoirs
shop-next = La suite
shop-next-mail = Le reçu est dans votre messagerie.
shop-next-account = Connectez-vous avec cette adresse pour voir la commande dans votre compte.

## Seats

shop-seats-title = Vos places
shop-seats-none = Vous n’avez pas acheté de places
shop-seats-none-hint = Vous pouvez acheter des places pour d’autres personnes dans tous les cours payants.
shop-seats-manage = Gérer les places
shop-seats-mail = Le lien de votre e-mail ouvre les places.
shop-seats-left = { PLURAL($left) ->
    [one] { $left } place libre sur { $seats }
   *[other] { $left } places libres sur { $seats }
}
shop-batch = Résultat pour chaque adresse
shop-batch-waiting = Cette page s’actualise jusqu’à la dernière adresse.
shop-assigned = Qui a une place
shop-assigned-none = Personne pour l’instant.
shop-seat = Place
shop-seat-pending = en attente d’un compte
shop-seat-enrolled = inscrit
shop-seat-ended = reprise
shop-take-back = Reprendre
shop-remind = Relancer les personnes sans compte
shop-reminded = { PLURAL($count) ->
    [one] { $count } rappel est en route.
   *[other] { $count } rappels sont en route.
}
shop-reminded-recently = { PLURAL($count) ->
    [one] { $count } adresse a reçu un message au cours des dernières 24 heures et n’en reçoit pas d’autre aujourd’hui.
   *[other] { $count } adresses ont reçu un message au cours des dernières 24 heures et n’en reçoivent pas d’autre aujourd’hui.
}
shop-reminded-none = Personne n’a été relancé : aucune place n’attend d’inscription.
shop-taken-back-free = La place a été reprise. Vous pouvez l’attribuer à une autre personne.
shop-taken-back-spent = La place a été reprise et l’accès a pris fin. Elle était utilisée et ne peut donc plus être attribuée.
shop-taken-back-none = Rien n’a changé : cette adresse n’a pas de place.
shop-row-repeated = figure deux fois dans la liste
shop-row-used-up = plus de place libre
shop-row-address = n’est pas une adresse à laquelle on peut écrire
shop-row-refused = n’a pas reçu de place
shop-assign = Attribuer des places
shop-assign-emails = Adresses e-mail, une par ligne
shop-assign-do = Attribuer
shop-code = Code :
shop-code-hint = Chaque personne peut prendre une place en commandant ce cours avec le code comme bon.

## Faults

shop-fault-missing = Cette page n’existe pas
shop-fault-hint-missing = Elle a peut-être changé de place, ou l’adresse contient une faute.
shop-fault-busy = Trop d’essais
shop-fault-hint-busy = Veuillez réessayer dans une minute.
shop-fault-unavailable = Cela n’a pas marché
shop-fault-hint-unavailable = Un service nécessaire ne répond pas. Rien n’est perdu : réessayez dans un instant.
shop-fault-foreign = Ce formulaire venait d’ailleurs
shop-fault-hint-foreign = Seules les pages de cette boutique peuvent envoyer ses formulaires. Rouvrez la page ici et envoyez le formulaire depuis celle-ci.
shop-fault-unreadable = Impossible de lire cela
shop-fault-hint-unreadable = Quelque chose dans l’adresse ou dans le formulaire ne convient pas. Revenez en arrière et réessayez.
shop-fault-refused = Cela n’a pas marché
shop-fault-hint-refused = Veuillez revenir en arrière, vérifier votre saisie et réessayer.
shop-fault-hint-link = Les liens des e-mails ne fonctionnent que pendant un certain temps. Veuillez vous connecter avec l’adresse à laquelle il a été envoyé, ou demander un nouveau lien à l’organisme.
shop-to-basket = Retour au panier

### The course platform's catalog

slot-buy-certificate = Acheter le certificat
slot-buy-course = Acheter le cours
slot-sold-out = Complet
slot-certificate-sold-out = Certificat : complet
slot-tax-rate = taxe de { $rate } comprise
slot-tax-included = taxe comprise
slot-tax-excluded = taxe en sus
slot-price-before = Prix avant la remise :
slot-price-now = Prix :
slot-program = Programme { $name } :
