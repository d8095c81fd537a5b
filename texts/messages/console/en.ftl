# What the staff of a shop reads in the console, the pages of the support desk (docs/console.md has pictures).
# How to translate it: docs/translating.md. In braces with a dollar sign stand names, dates, times and amounts, already written
# as the language writes them. { $n } and other numbers can choose a form by PLURAL($n). { $organisation } is the seller's name,
# { $name } on most pages the reader's own. "The course platform" is Open edX, which the shop sells for.
# A few messages stand alone as labels or tags: keep those short.

### Every page

## The frame of each page

console-title = Console
console-skip = Skip to the content
# Behind the seller's name, small
console-desk = support desk
# The field for searching, and its button
console-search = Search
# What can be searched for: inside the empty field
console-search-for = Address, name, company, order, reference, course, code
# A link to the list of the shops at which the reader works
console-other-shop = Other shop
console-sign-out = Sign out
# At the foot of each page; { $zone } is a time zone, such as Europe/Berlin
console-zone = Days and times are those of { $zone }.

## Links below a long list

console-pages = Pages
console-previous = Previous
console-page = Page { $n }
console-next = Next

## Moments and times: { $time } is a date with its time of day, such as Jan 31, 2030, 12:00

# Behind something that waits
console-age-now = for less than a minute
console-age-minutes = { PLURAL($n) ->
    [one] for { $n } minute
   *[other] for { $n } minutes
}
console-age-hours = { PLURAL($n) ->
    [one] for { $n } hour
   *[other] for { $n } hours
}
console-age-days = { PLURAL($n) ->
    [one] for { $n } day
   *[other] for { $n } days
}
# Behind a course or a seat: from when on it is as it is
console-since = since { $date }

## Words that are headings of columns, names of fields, or buttons

console-action = Action
console-address = Address
console-addresses = Addresses
console-amount = Amount
console-budget = Budget
console-buyer = Buyer
console-campaign = Campaign
console-change = Change
console-code = Code
console-course = Course
console-courses = Courses
console-filter = Filter
# The way in which a course is attended: audit, honor, verified
console-mode = Mode
console-note = Note
console-order = Order
console-orders = Orders
# When an order was placed
console-placed = Placed
console-price = Price
console-reason = Reason
# The amount that went back to the buyer
console-refunded = Refunded
console-row = Row
console-rows = Rows
console-save = Save
console-status = Status
console-tax = Tax
console-total = Total
console-url = URL
# How often a voucher was used
console-uses = Uses
console-uses-in-all = Uses in all
console-uses-by-one = Uses by one buyer
# What a voucher takes off a price: a percentage or an amount
console-takes-off = Takes off
# The sum that a voucher has taken off
console-taken-off = Taken off
console-valid-from = Valid from
console-valid-until = Valid until
# A voucher or a pool of seats that is valid for ever
console-no-end = no end
console-no-limit = no limit
# A voucher that is not valid any more
console-ended = ended
# 3 of 10 seats, uses, or an amount of a budget
console-of = { $part } of { $whole }
console-last-30-days = Last 30 days

## What several pages say

# The heading above what a button will do
console-will-happen = What will happen
console-on-record = It is on record under your name, { $name }.
# A button that leads to a page with what will happen
console-show-first = Show what will happen
# A button: the course platform has refused an enrollment
console-ask-platform = Ask the course platform again
console-look-again = Look again
# The bar that shows how much of a batch is done, for screen readers
console-progress = Progress
console-done-of = { $done } of { $total } done.
console-done-and-failed = { $done } of { $total } done, { $failed } failed.

### Stored words, each as a tag or in a column

## Status of an order


## Status of a person's access to a course

access-status-enrolled = enrolled
access-status-pending-registration = waits for registration
access-status-removed = removed
access-status-refused = refused
access-status-cancelled = cancelled
access-status-none = none

## Status of a payment

payment-status-created = created
payment-status-processing = processing
payment-status-succeeded = succeeded
payment-status-failed = failed
payment-status-cancelled = cancelled
payment-status-superseded = superseded
payment-status-refunded = refunded

## Status of a refund

refund-status-asked = asked
refund-status-accepted = accepted
refund-status-succeeded = succeeded
refund-status-failed = failed

## Status of a dispute at the buyer's bank

dispute-status-open = open
dispute-status-won = won
dispute-status-lost = lost

## Status of a withdrawal, which a buyer has declared

withdrawal-status-received = waits
withdrawal-status-unmatched = matches no order
withdrawal-status-accepted = accepted
withdrawal-status-refused = refused

## Status of a row of a batch, and of the batch

row-status-waiting = waiting
row-status-done = done
row-status-failed = failed
batch-status-running = running
batch-status-done = done

## Status of a seat that an address has

seat-status-pending = waits for registration
seat-status-enrolled = enrolled
seat-status-ended = ended

## Status of a voucher's use: given back if the order ended unpaid

use-status-held = waits for payment
use-status-used = used
use-status-released = given back
use-status-late = paid late

## Status of an event's delivery to an endpoint

delivery-status-waiting = waiting
delivery-status-delivered = delivered
delivery-status-given-up = given up

## What a row of a batch does

action-enroll = enroll
action-unenroll = unenroll

## What a voucher takes off: a whole seat in a course, if it is the code of a pool of seats

voucher-kind-percent = percent
voucher-kind-amount = amount
voucher-kind-seat = seat

## Movements of money, in reports

movement-captured = payment
movement-refunded = refund
movement-refund-failed = refund that failed
movement-chargeback = chargeback
movement-chargeback-reversed = reversed chargeback
movement-moved = move
movement-fee = fee
movement-payout = payout

## Documents

document-kind-invoice = invoice
document-kind-credit-note = credit note
document-status-requested = requested
document-status-issued = issued
document-status-refused = refused
document-status-cancelled = cancelled

## Mails to buyers and learners; also in sentences, as in The mail “receipt” was sent.

mail-kind-receipt = receipt
mail-kind-invoice = invoice
mail-kind-invoice-cancelled = invoice cancelled
mail-kind-invoice-corrected = corrected invoice
mail-kind-access-moved = move
mail-kind-transfer-requested = how to pay
mail-kind-document-again = document link
mail-kind-document-follows = document sent later
mail-kind-refund-issued = refund
mail-kind-registration-invitation = invitation
mail-kind-seats-ready = seats
mail-kind-seat-assigned = seat
mail-kind-withdrawal-received = withdrawal received
mail-kind-withdrawal-refused = withdrawal refused

## What of an order the text of a search was

found-by-order = order
found-by-payment = payment
found-by-refund = refund
found-by-dispute = dispute
found-by-document = document
found-by-reference = buyer's order number
found-by-transfer = bank reference
found-by-course = course
found-by-address = address
found-by-name = name
found-by-company = company
found-by-tax-id = tax ID

## Roles of the staff

role-support = support
role-finance = finance
role-manager = manager

### The start page: what needs a person, and figures

start-title = Start
# The heading; behind it stands how many
start-heading = Needs a person
start-nothing = Nothing waits for you.
# A button; opens what can be done about a message that could not be processed
start-decide = Decide …
start-decide-text = Processed again, it does what it could not do before. Dropped, it is gone for good, and what it was to do does not happen.
start-process-again = Process it again
start-drop = Drop it for good
start-mail-again = Send the mail again
start-open-withdrawal = Open the withdrawal
start-open-invoice = Open the invoice request
start-open-events = Open the events
start-open-order = Open the order
start-open-person = Open the person
start-today = Today
# Above the amount that was paid today
start-paid = Paid
start-orders = { PLURAL($n) ->
    [one] { $n } order
   *[other] { $n } orders
}
start-no-money = No money has moved since midnight.
# A link at the top of each page, and the page of the money that has not arrived
owed-title = Unpaid
owed-text = Orders whose transfer or invoice is not paid yet, the longest due first.
owed-open = Open
owed-overdue = Overdue
owed-how = Payment
owed-on-account = on account
owed-none = Nothing is unpaid.
owed-pending-text = Payments that the provider still works on, such as direct debits, the oldest order first.
owed-until = Orders placed until the end of { $month }.
owed-all = Show all
owed-placed = Placed
owed-at-provider = at the provider

## The chart of orders by day: { $up } were paid, { $down } ended unpaid; { $most } is the largest number of a day

# For screen readers
start-chart = { $up } paid and { $down } ended unpaid in the last 30 days; at most { $most } a day
# What the mouse shows above a day
start-chart-day = { $day }: { $up } paid, { $down } ended unpaid
# The two keys below the chart
start-chart-up = { $n } paid
start-chart-down = { $n } ended unpaid

## Tags: what waits for a person

waiting-kind-payment = payment
waiting-kind-notification = notification
waiting-kind-access = access
waiting-kind-enrollment = enrollment
waiting-kind-refund = refund
waiting-kind-refund-to-pay = refund
waiting-kind-overdue = overdue
waiting-kind-invoice = invoice
waiting-kind-document = document
waiting-kind-withdrawal = withdrawal
waiting-kind-mail = mail
waiting-kind-endpoint = endpoint
waiting-kind-dead-letter = message

## What waits for a person, and what to do about it

waiting-payment = The payment needs a decision. Read the reason, act, then close the alert.
waiting-notification = The provider's notification contradicts the record. Compare it with the provider's dashboard.
waiting-access = The order is paid, and its courses are not open yet.
waiting-enrollment = The course platform has refused the enrollment. Fix the reason there, then retry it here.
waiting-refund = The provider has not answered the refund yet. It is asked again by itself.
waiting-refund-to-pay = Pay the refund at your bank. Then report that it has arrived, or that it came back.
waiting-overdue = The money was due and has not arrived. Remind the buyer, book what has come, or cancel the order.
waiting-invoice = The support asks for a corrected invoice, with which the tax is paid back. Confirm it or refuse it.
waiting-document = Another system has not issued the document for a day. Ask it, or report what it says.
waiting-withdrawal = A buyer has withdrawn. Accept it, pay back a part, or refuse it with a reason; the refund is due 14 days after the declaration.
waiting-mail = The mail has not arrived. Correct the address, or send it again.
waiting-endpoint = Events are no longer delivered to this address. Fix the receiver, then enable it.
waiting-dead-letter = A message could not be processed. Fix the reason, then have it processed again; drop it only if nothing is to happen.

### Where do you work: for a person on the staff of several shops

choose-title = Where do you work today?
choose-hello = Hello { $name }. You are on the staff of these organisations.

### What a search has found

search-results = Results for “{ $text }”
search-short = Type at least 2 characters: an address, a part of a name or a company on an invoice, its tax ID, an order, a document's number, the buyer's own order number, the reference of a transfer, of your bank or of a provider, a voucher's code, or a course by its name or key.
search-none = Nothing of { $organisation } has this. Try the whole address, or at least three letters of the name or the company on the invoice. An order of another shop is not shown here.
# Tags
search-voucher = voucher
search-course = course
# The column that says what of an order the text was
search-found-by = Found by
search-more = There are more than these. Add to the text to narrow it down.

### An order

order-title = Order of { $email }
order-placed = placed { $date }
order-former-shop = Sold by { $shop } before it was moved in: a record without actions. Ask there for a refund or a receipt.
order-former-shop-account = Sold by { $shop } before it was moved in. It was paid with the account at { $provider } that is used here, so it can be refunded here. Ask there for a receipt.
order-alert = The payment needs a decision
order-alert-done = What was done about it
order-alert-close = Close the alert
# The heading above what was bought
order-bought = Bought
order-lines = Lines
order-line = Line
order-access = Access
order-seats = { PLURAL($n) ->
    [one] { $n } seat
   *[other] { $n } seats
}
order-gift = Gift
order-gift-given = Given on { $date }
order-gift-planned = For { $date }
# Below a line whose access moves or has moved to another course or person
order-is-moving = is moving to { $course }
order-is-moving-to-person = is moving to another person
order-moved = moved to { $course }
order-moved-to-person = moved to another person
# A voucher's code
order-total-with-voucher = Total with { $code }

## Refund

order-refund = Refund …
order-refund-text = Tick the lines above to refund them and end their access; tick none to refund the whole order. The next page shows what will happen before anything does.
order-refund-amount = Amount, if less
# Inside the empty field for the amount
order-refund-all-left = all that is left
order-refund-keep = Goodwill: pay the amount back and end no access

## Move

order-move = Move …
order-move-text = The line gives access to another course, or gives its access to another person. No money moves, and the invoice stays as it is. The next page shows what will happen.
# Two fields, of which one is filled
order-move-course = To the course
order-move-person = To the person with the address

## Access: what the course platform says about it

order-withdrawals = Withdrawals
order-platform-agrees = the course platform agrees
order-platform-refused = the course platform refused
order-platform-waits = the course platform waits for the person to register
order-platform-not-yet = the course platform has not confirmed it yet
# The reason follows, in English
order-access-ended = ended { $date }:

## Money, mails and documents

order-money-back = Money back
order-refund-to-pay = Pay it back at your bank, then report what became of it.
order-refund-arrived = The money has arrived
order-refund-back = The money came back
order-dispute = { $amount } disputed at the bank
order-payment = Payment
order-transfer = Bank transfer
order-transfer-reference = Payment reference
order-transfer-due = Due
order-transfer-open = Still to be paid
order-payment-book = Book a payment …
order-payment-text = Book what your bank shows. Once all of { $amount } has arrived, the courses open and the buyer gets the receipt.
order-payment-day = Day at the bank
order-payment-reference = Reference at the bank
order-payment-submit = Book this payment
order-payment-is-back = paid back
order-payment-return-text = Pay { $amount } back at your bank first. It counts no more then.
order-payment-return = It was paid back
order-payment-end = End the order …
order-payment-end-text = No money has arrived for it. Its voucher and places are free for others then. A transfer that comes after all is honoured, with an alert.
order-payment-end-submit = End this order
order-document-report = Report what came of it …
order-document-text = Report what the other system says.
order-document-number = Number
order-document-day = Day on the document
order-document-total = Total
order-document-authority = System of the authority
order-document-qr = Content of the QR code
order-document-issued = It is issued
order-document-refused = It was refused
order-document-cancel = { $number } was cancelled …
order-document-cancel-text = Only if it was cancelled where it was issued. The order then lacks it until it is requested anew.
order-document-cancelled = It was cancelled
order-document-anew = Request it anew
order-invoice-on-account = On account: the invoice was issued before the payment.
order-invoice-overdue = Overdue
order-invoice-cancel = Cancel the order …
order-invoice-cancel-text = No money has arrived for it. A credit note cancels the invoice, and the access ends. Pay back any transfer that arrives later.
order-invoice-cancel-submit = Cancel this order
order-reverse-charge-applied = Reverse charge: VIES has confirmed the VAT ID, under the consultation number { $number }.
order-reverse-charge-invalid = The tax was charged: VIES does not know the VAT ID.
order-reverse-charge-unavailable = The tax was charged: VIES did not say whether the VAT ID is valid.
order-provider = Provider
order-reference = Reference
order-at-bank-since = Bank works on it since
order-disputed = Disputed
order-mails = Mails and documents
# { $mail } is the name of a mail, such as receipt
order-mail = { $mail } to { $email }
# Tags behind a mail
order-mail-failed = failed
order-mail-waits = waits
order-mail-sent = sent
order-mail-deferred = put off by its server
order-mail-delivered = delivered
order-mail-again = Send it again
order-no-mails = Nothing waits. Mails that were sent are in the history.
order-receipt-again = Send the receipt again to { $email }
order-invoice-again = Send the invoice again to { $email }
order-invoice-correct = Correct the invoice …
order-invoice-asked = Finance is asked for a corrected invoice
order-invite-again = Send the invitation again to { $email }
order-correct-address = Correct the address …
order-correct-address-text = For a guest who mistyped it. What waits for { $email } moves to the new address, which is invited to register if it has no account. The invoice stays as it is.
order-right-address = Right address
order-correct-address-submit = Move the order to this address

## The history: each entry is a sentence, and who did it

order-history = What happened
# Behind the sentence; { $name } is a person, or one of those below
order-by = by { $name }
timeline-by-system = the storefront
timeline-by-client = the shop
timeline-by-guest = the buyer, as a guest
timeline-by-learner = the buyer, signed in
timeline-by-provider = the payment provider
# A member of the staff whose name is not known any more; { $id } is the number of the account
timeline-by-staff = staff (account { $id })
timeline-by-operator = { $name } (operator)
timeline-by-key = the organisation's key { $id }

timeline-cart-open = The basket was begun.
timeline-cart-placed = The order was placed.
timeline-cart-pending-payment = The order was placed, and waits for its payment.
timeline-cart-held = The order was placed; its courses open once the address registers.
timeline-cart-paid = The order is paid.
timeline-cart-fulfilled = The order is complete: its access was granted.
timeline-cart-cancelled = The order was cancelled.
timeline-cart-expired = The order expired unpaid.
timeline-cart-refunded = The order has ended: all of its money went back.
timeline-cart-invoice-corrected = The buyer on the invoice was corrected.
timeline-cart-document-issued = A document was reported as issued.
timeline-cart-document-refused = A document was refused.
timeline-cart-document-cancelled = A document was cancelled where it had been issued.
timeline-cart-document-replaced = A refused or cancelled document was requested anew.
timeline-cart-invoice-asked = Finance was asked for a corrected invoice.
timeline-cart-invoice-refused = Finance refused the corrected invoice.
timeline-cart-invoice-paid = The invoice was paid.
timeline-cart-restored = The access was restored.
timeline-cart-access-blocked = The access waits for a person.
timeline-cart-access-restored = The access that this order builds on is back, so it was granted after all.
# The name of a mail, such as receipt
timeline-cart-mail-sent = The mail “{ $mail }” was sent.
timeline-cart-mail-again = The mail “{ $mail }” was sent again.
# Names of courses
timeline-cart-move-asked = A move from { $from } to { $to } was asked for.
timeline-cart-move-withdrawn = The move to { $to } was withdrawn.
timeline-cart-moved = The access went from { $from } to { $to }.
timeline-cart-moved-to-person = The access to { $to } went to another person.
timeline-cart-address-corrected = The buyer's address was corrected.
# What the alert was, in English
timeline-alert-closed = The alert was closed: { $alert }.
timeline-transaction-created = The payment was prepared.
timeline-transaction-processing = The payment was started at the provider.
timeline-transaction-succeeded = The payment arrived.
timeline-transaction-failed = The payment failed.
timeline-transaction-cancelled = The payment was cancelled.
timeline-transaction-superseded = Another attempt replaced the payment.
timeline-transaction-refunded = The payment was refunded in full.
timeline-transaction-partly-refunded = Of the payment, { $refunded } is refunded now.
timeline-transaction-lost = Of the payment, { $lost } was taken back by the bank.
timeline-transaction-held = A dispute holds { $lost } of the payment.
timeline-transaction-refunded-and-lost = Of the payment, { $refunded } is refunded, and { $lost } was taken back by the bank.
timeline-transaction-nothing-back = Nothing of the payment is refunded or taken back any more.
timeline-transaction-charged = The provider charged another amount than the order's.
timeline-transaction-received = { $amount } arrived at the bank.
timeline-transaction-returned = { $amount } was paid back at the bank.
timeline-transaction-event-applied = A notification that contradicted the record was applied.
timeline-refund-asked = A refund was requested.
timeline-refund-accepted = The provider accepted the refund.
timeline-refund-succeeded = The refund is complete.
timeline-refund-failed = The refund failed.
timeline-withdrawal-objected = The holder of the order's address said that the withdrawal is not theirs.
timeline-withdrawal-received = A withdrawal was declared.
timeline-withdrawal-unmatched = A withdrawal was declared under another address.
timeline-withdrawal-accepted = The withdrawal was accepted.
timeline-withdrawal-refused = The withdrawal was refused.
# In place of a course's name that is not known
timeline-the-course = The course
timeline-enrollment-enrolled = { $course }: access granted.
timeline-enrollment-pending-registration = { $course }: waits for the address to register.
timeline-enrollment-removed = { $course }: access ended.
timeline-enrollment-synced = { $course }: the course platform agrees.
timeline-enrollment-refused = { $course }: the course platform refused.
timeline-enrollment-retried = { $course }: the enrollment is tried again.
# The provider's own name for it, such as charge.refunded
timeline-notification = The provider reported { $what }.
timeline-dispute-open = The buyer's bank opened a dispute, which is open now.
timeline-dispute-won = The buyer's bank opened a dispute, which is won now.
timeline-dispute-lost = The buyer's bank opened a dispute, which is lost now.
# Anything else, in stored words such as cart: paid became refunded.
timeline-became = { $what }: { $from } became { $to }.
timeline-other = { $what }: { $to }.

### A withdrawal of an order: on the order's page, and on a page of its own

decide-declared = declared { $date } by { $email }
decide-no-proof = without proof
decide-lines = { PLURAL($n) ->
    [one] { $n } line
   *[other] { $n } lines
}
decide-no-line = no line
decide-decided = decided { $date }
# The reason follows, in English
decide-waits = waits for a person:
decide-judged = is judged by itself, next at { $date }
decide-objected = The holder of the order's address said { $date } that it is not theirs.
decide-accept = Accept …
decide-accept-text = All that is left of the declared lines goes back to the buyer, and their access ends. The buyer gets a mail.
decide-reason-optional = Reason, which the buyer sees; may be left empty
decide-accept-submit = Pay back all that is left and end the access
decide-part = Pay back a part …
decide-part-text = For a service that had begun: this amount goes back to the buyer, and the access to the declared lines ends. The buyer gets a mail.
decide-part-submit = Pay back this amount and end the access
decide-refuse = Refuse …
decide-refuse-text = Nothing is paid back, and the access stays. The buyer gets a mail with your reason, and can declare the lines again.
decide-refuse-submit = Refuse the withdrawal
# For one that matches no order
decide-close = Close …
decide-close-text = No mail goes out: who declared it may be a stranger. If you have found the order that is meant, refund it there first.
decide-close-submit = Close the withdrawal

## The page of its own

# { $name } is the name of the person who declared it
withdrawal-title = Withdrawal of { $name }
withdrawal-heading = Withdrawal
withdrawal-declared-what = What was declared
withdrawal-order-named = Order, as it was named
withdrawal-name = Name
withdrawal-declared = Declared
withdrawal-decision = Decision

### Before a refund: { $provider } is the payment provider, such as Stripe

refund-title = Refund?
refund-heading = Refund this order?
refund-order = Order of { $email }, { $total }, of which { $refunded } was refunded before.
refund-amount = { $amount } goes back to the buyer, by { $provider }.
refund-all = All that is left of { $total } goes back to the buyer, by { $provider }.
refund-lines = All that is left of the ticked lines, { $amount }, goes back to the buyer, by { $provider }.
refund-lines-with-tax = All that is left of the ticked lines, { $amount } with the tax that was charged on top of it, if any, goes back to the buyer, by { $provider }.
refund-access-stays = All access stays.
refund-access-ends = The access to { $item } ends once the provider has accepted, unless the learner has earned a certificate.
refund-own = Your organisation pays the money at its bank, then reports here that it has arrived.
refund-access-ends-now = The access to { $item } ends at once, unless the learner has earned a certificate.
refund-mail = { $email } gets a mail about the refund.
refund-no-mail = The buyer gets no mail from here, since another shop sold the order.
refund-mail-with-credit-note = { $email } gets a mail about the refund with a credit note.
refund-needs-amount = Goodwill needs an amount. Go back and enter one.
refund-reason = Reason, which the buyer sees too
refund-despite-dispute = Refund although the bank has an open dispute, and may give the buyer the same money back
refund-taken = Disputes have taken { $lost }: that cannot be refunded.
refund-back = Back, refund nothing
# The button says what it does
refund-submit-all = Refund all that is left and end the access
refund-submit = Refund { $amount } and end the access
refund-submit-keep = Refund { $amount }

### A correction of the buyer on an invoice

invoice-title = Correct the invoice
invoice-buyer = Buyer on the invoice
invoice-asked = The support asked for this buyer on { $date }. The tax goes back to the buyer with it.
invoice-happens = A credit note takes the invoice back, and a new one names this buyer.
invoice-mail = { $email } gets the new invoice by mail.
invoice-tax = If it is a company of another EU member state and VIES confirms its VAT ID, the tax is paid back.
invoice-tax-asked = If it is a company of another EU member state and VIES confirms its VAT ID, the tax is to be paid back: then finance is asked, and corrects the invoice.
invoice-back = Back, correct nothing
invoice-submit = Correct the invoice and mail it
invoice-refuse = Refuse what the support asks for
buyer-company = Company
buyer-tax-id = Tax ID
buyer-name = Name
buyer-line1 = Street
buyer-line2 = More of the address
buyer-postal-code = Postal code
buyer-city = City
buyer-state = State
buyer-country = Country, two letters

### Before a move: { $name } is the course of the line

move-title = Move?
move-heading = Move this line?
# A line that the order does not name, by its place
move-line-number = line { $position }
# The page that offers courses to move to
runs-heading = Where does { $name } move?
runs-line = { $name }, { $mode }, bought for { $price }.
runs-choose = Move to { $name } …
# A tag: the same course at another time
runs-same-course = other run
runs-none = No other course is on sale in this mode, or the buyer has it already.
runs-person = Or to another person
move-is-moving = It is moving to { $course }.
move-is-moving-to-person = It is moving to { $course }, to another person.
move-was-moved = It was moved to { $course }.
move-was-moved-to-person = It was moved to { $course }, to another person.
move-access-now = Who has access by this order now:
move-to-course = The line gives access to { $course } instead.
move-other-price = It costs { $price }, and the line { $paid }: tick below that nothing is charged or refunded.
move-to-person = The line gives its access to { $email }, who is invited to register if there is no account with this address.
move-old-access = The present access stays until the course platform has confirmed the new one, and then ends. If the platform refuses, it stays, and the list of what needs a person shows the refusal.
move-earlier = A move of this line that the platform has refused, or whose address has not registered, is withdrawn.
move-money = No money moves. The invoice stays as it is; a later refund of the line ends the new access.
move-certificate = If the person who has the access now has earned a certificate, nothing happens.
move-mail = { $email } gets a mail once the move is done.
move-reason = Reason, for the record
move-waive = Move it even if the price differs; nothing is charged or refunded
move-back = Back, move nothing
# The button says what it does; { $to } is a course or an address
move-submit = Move { $name } to { $to }

### A person: an address with its orders, courses and seats

person-download = Download what { $organisation } has of this person
person-download-help = As JSON, for a person who asks for it.
person-no-orders = No orders under this address at { $organisation }. The person may have bought under another one: search for the name on the invoice.
person-no-courses = No course of { $organisation } was opened for this address.
person-seats = Seats that this address manages or has
person-seats-taken = { $used } of { $seats } taken
person-seats-bought = bought { $date }

### Payouts

payouts-title = Payouts
payouts-text = What the payment provider has paid to your bank, and what is in each payout. It is read every hour.
payouts-refused = { $gateway } does not show payouts to the key of your account. Ask the operator of this service.
payouts-unread = The payouts of { $gateway } have not been read yet.
payouts-made = Made on
payouts-bank = At the bank
payouts-payments = Payments
payouts-refunds = Refunds
payouts-disputes = Disputes
payouts-fees = Fees
payouts-rest = Other
payouts-difference = difference
payouts-not-read = What is in it is not read yet.
payouts-not-itemised = The provider does not say what is in it.
payouts-none = No payout was made in this time. Choose another one.
payouts-csv = Download the payouts as CSV
payouts-xlsx = Payouts as XLSX
payouts-movements = Movements in payouts
payouts-movements-csv = Movements as CSV
payouts-movements-xlsx = Movements as XLSX
payout-status-pending = pending
payout-status-paid = paid
payout-status-failed = failed

### The month that finance closes

# A link at the top of each page, and the page on which finance closes a month
month-title = Close the month
month-month = Month
month-text = Money counts on the day of the bank or the provider.
month-closed = closed
month-closed-by = Closed on { $date } by { $name }.
month-closed-with = It was closed with { $month }.
month-open = The month is over and not closed yet.
month-not-over = The month can be closed after { $day }.
month-provider = Provider
# In place of a provider: transfers that you take yourself
month-own-account = your own account
# Headings: money that is with the provider before and after the month
month-opening = With the provider before
month-paid-out = Paid out
month-closing = Still with the provider
month-no-opening = What was with the provider before is not known, because no month within a year before is closed.
month-adds-up = It adds up: what was there before and all that has moved is what is still there, and the payouts agree.
month-gaps = This does not add up:
# Behind an amount: why it does not add up
month-gap-other = movements in a payout that the books do not know
month-gap-unknown-payment = payments in a payout that are no orders here
month-gap-other-currency = paid in one currency and paid out in another
month-gap-difference = difference between a payout and its movements
month-gap-unread = a payout whose movements were not read in this month, so that its fees are missing
month-gap-closed = difference from the balance with which the month was closed
# Above amounts
month-unpaid = Unpaid now
month-pending = Pending now
month-documents = Missing documents
month-documents-text = Paid orders without an invoice, and refunds without a credit note. Most are issued within minutes; ask the operator about what stays here.
month-no-documents = No document is missing.
month-late = Late money
month-late-text = Money that counts to this month because its own month was closed when it was booked.
month-no-late = Nothing came late.
# Below an amount: of how many it is the sum
month-number = Number: { $n }
month-close-text = Once it is closed, the month stays as it is, with all months before: what is booked later counts to an open month. This cannot be undone.
# A button
month-close = Close { $month }

### Reports

reports-title = Reports
reports-from = From
reports-to = To, included
reports-by = Days are those of
reports-by-booked = the booking
reports-by-received = the bank or the provider
reports-show = Show
reports-zone = Days of the time zone { $zone }.
# Before tags with what the page shows
reports-only = Only:
reports-all = Show all movements
reports-totals = Movements and taxes
# A payment, a refund and so on
reports-movement = Movement
# The country, and the column with the tax's rate
reports-taxed-in = Taxed in
reports-rate = Rate
# How many movements
reports-number = Number
reports-net = Net
reports-none = No money moved in this time. Choose another one: payments count on the day on which the provider reported them.
reports-ledger = Ledger
reports-ledger-first = Ledger: the first { $n } movements
reports-booked = Booked
reports-received = Money moved
reports-document = Document
reports-download-csv = Download the ledger as CSV
reports-download-json = As JSON
reports-download-xlsx = Ledger as XLSX
reports-taxes = Taxes
reports-taxes-text = Invoices less credit notes, by the day that they show.
reports-taxes-chargeback = A chargeback takes money back and no credit note follows it: the taxes here are higher than those of the movements above by the tax of the chargebacks.
reports-country = Country
reports-state = State
reports-category = Category
reports-documents = Documents
reports-taxes-csv = Download the taxes as CSV
reports-taxes-json = Taxes as JSON
reports-taxes-days = Taxes by day
reports-taxes-days-xlsx = Taxes by day as XLSX
reports-taxes-payments-xlsx = Taxes by day of payment as XLSX
reports-taxes-oss = One-Stop-Shop
reports-taxes-oss-xlsx = One-Stop-Shop as XLSX
reports-taxes-xlsx = Taxes as XLSX
reports-taxes-none = No invoice or credit note was issued in this time. An organisation without a seller in its record issues none.

## The headings of reports as XLSX, by the names of their columns in CSV, and the word before their sums

reports-sum = Sum
column-seq = Number
column-at = Time
column-day = Booked
column-kind = Movement
column-cart_id = Order
column-transaction_id = Payment
column-refund_id = Refund
column-amount = Amount
column-tax = Tax
column-currency = Currency
column-gateway = Provider
column-provider_reference = Provider’s reference
column-region = Buyer’s country
column-list_price = List price
column-discounts = Discounts
column-voucher_discount = Voucher’s discount
column-voucher = Voucher
column-campaign = Campaign
column-document_number = Document
column-tax_country = Taxed in
column-tax_state = State of the tax
column-tax_rate = Tax rate (%)
column-language = Language
column-reference = Buyer’s reference
column-metadata = Metadata
column-bank_day = Bank’s day
column-bank_reference = Bank’s reference
column-tax_id = Tax ID
column-reverse_charge = Reverse charge
column-country = Country
column-state = State
column-rate = Rate (%)
column-category = Category
column-net = Net
column-count = Documents
column-payout = Payout
column-status = Status
column-made_on = Made on
column-payments = Payments
column-refunds = Refunds
column-disputes = Disputes
column-fees = Fees
column-returned = Payouts that came back
column-other = Other
column-rounding = Rounding
column-difference = Difference
column-fee_tax = Tax in the fees
column-movements = Movements
column-itemised = Itemised
column-movement = Provider’s movement
column-provider_kind = Provider’s word
column-gross = Without the fee
column-fee = Fee
column-balance = Other balance
column-date = Day
column-buyer = Buyer
column-quarter = Quarter
column-number = Number
tax-category-s = standard
tax-category-z = zero rate
tax-category-e = exempt
tax-category-ae = reverse charge
tax-category-o = not taxed

### Vouchers

vouchers-title = Vouchers
vouchers-whole-seat = a whole seat
vouchers-none-found = No voucher has this code and campaign. Leave a field empty to see more.
vouchers-none = { $organisation } has no vouchers yet. Create the first one below.
vouchers-new = Create vouchers
vouchers-code-help = 3 to 40 letters, digits, - and _. Empty: the service makes codes.
vouchers-count = Number of codes
vouchers-count-help = More than one only without a code of your own.
# What it takes off
vouchers-percentage = a percentage
vouchers-amount = an amount
vouchers-how-much = How much
vouchers-courses-help = One course key a line, such as course-v1:Northwind+ENG101+2026. Empty: all that { $organisation } sells.
vouchers-new-submit = Create the vouchers

## One voucher

# When it was used
voucher-used = Used
voucher-not-used = Not used yet.
voucher-terms = Terms
# What it takes something off: courses and programs, or everything
voucher-for = For
voucher-courses = { PLURAL($n) ->
    [one] { $n } course
   *[other] { $n } courses
}
voucher-programs = { PLURAL($n) ->
    [one] { $n } program
   *[other] { $n } programs
}
voucher-everything = everything
voucher-change-text = What it takes off, and from what, stays as it was promised.
voucher-budget-in = Budget in { $currency }
voucher-until-help = Empty: no end.
voucher-end-text = Ended, it takes nothing off new orders. What was bought with it stays as it is.
voucher-end = End { $code } now

## Its chart by day: { $up } uses of paid orders, { $down } that were given back; { $most } is the largest number of a day

voucher-chart = { $up } used and { $down } given back in the last 30 days; at most { $most } a day
voucher-chart-day = { $day }: { $up } used, { $down } given back
voucher-chart-up = { $n } used
voucher-chart-down = { $n } given back

## The codes of vouchers, to be taken along

codes-title = Codes
codes-heading = { PLURAL($n) ->
    [one] { $n } code
   *[other] { $n } codes
}
codes-of-campaign = { PLURAL($n) ->
    [one] { $n } code of { $campaign }
   *[other] { $n } codes of { $campaign }
}
codes-csv = Download them as CSV
codes-copy = To copy
codes-back = Back to the vouchers
codes-take = Take the codes of this campaign along

### Seats: places in a course that somebody has bought for others

seats-title = Seats
seats-pools = Pools of seats
seats-item = Course or program
seats-bought = Bought
# How many of the seats have a holder
seats-taken = Taken
seats-none = { $organisation } has sold no seats yet. A buyer of several places in a course gets a pool of seats, and gives them to others.

## One pool of seats

pool-taken = { $used } of { $seats } seats are taken
pool-left = { $n } left
# Before the code itself
pool-code = code
pool-order = the order that paid for them
pool-batch = The addresses that you sent
pool-holders = Who has a seat
pool-no-holders = No address has a seat yet. Enter addresses, or pass the code on.
pool-mail-failed = The mail did not arrive:
pool-take-back = Take the seat back …
pool-take-back-pending = The seat is free again, and the invitation ends.
pool-take-back-enrolled = { $email } loses the access to { $item }. The seat stays spent.
pool-take-back-submit = Take the seat of { $email } back
pool-give = Give seats to addresses
pool-give-help = One a line, at most 500. Who has an account is enrolled and told by mail; any other address gets an invitation.
pool-give-submit = Give the seats
pool-remind = Remind
pool-remind-text = Mails the 100 addresses that have waited longest for their registration; each at most once a day.
pool-remind-submit = Remind those who have not registered

### Batches of enrollments

batches-title = Batches
batches-heading = Batches of enrollments
# When a batch was submitted
batches-submitted = Submitted
# How many rows have failed
batches-failed = Failed
batches-none = The staff of { $organisation } has submitted no batch in the last 90 days.
batches-new = Enroll or unenroll many addresses
batches-file = CSV file
# The names of the columns stay as they are
batches-file-help = A column email, and where rows differ course_id, mode, action and language. At most 5,000 rows.
batches-paste = Or paste the rows
batches-course = Course of rows that name none
batches-mode = Mode of rows that name none
batches-show = Show the rows
batches-nothing-yet = Nothing is done yet.

## Before a batch is submitted

rows-title = Submit?
rows-heading = { PLURAL($n) ->
    [one] Submit { $n } row?
   *[other] Submit { $n } rows?
}
rows-good = { PLURAL($n) ->
    [one] { $n } row will be processed, one after the other. An address that is enrolled and has no account gets an invitation.
   *[other] { $n } rows will be processed, one after the other. An address that is enrolled and has no account gets an invitation.
}
rows-faulty = { PLURAL($n) ->
    [one] { $n } row cannot be done, for the reasons below. They fail alone; correct them in the file, or leave them.
   *[other] { $n } rows cannot be done, for the reasons below. They fail alone; correct them in the file, or leave them.
}
rows-back = Back, submit nothing
rows-submit = { PLURAL($n) ->
    [one] Submit { $n } row
   *[other] Submit { $n } rows
}
rows-some = Rows: { $shown } of { $total }, faults first
rows-fault = Fault

## One batch

batch-title = Batch
batch-all-rows = All rows
batch-failed-rows = Failed rows
batch-download-failed = Download the failed rows
batch-download-all = Download all rows
batch-result = Result
batch-none-failed = No row has failed.
batch-no-rows = No rows on this page.

### The catalog: what the shop sells

catalog-title = Catalog
catalog-filter = Name or course key
catalog-intro = Changes are in the shop within seconds. Orders that were placed keep their price. A sync with the course platform keeps what is set here; an import can replace it.
# Tags behind a course
catalog-not-published = not published
catalog-in-no-list = in no list
catalog-on-sale = on sale
catalog-no-mode-on-sale = no mode on sale
catalog-starts = starts { $date }
# Ticks
catalog-publish = Published: the shop shows and sells it
catalog-hide = In no list: only who has the link finds it
catalog-sell = On sale
catalog-save = Save what the shop shows
# How long a mode can be bought
catalog-until = until { $date }
catalog-from = from { $date }
catalog-price = Price in { $currency }
# { $mode } is audit, honor, verified
catalog-save-mode = Save { $mode }
catalog-dated = Dated prices
catalog-dated-text = The lowest price that holds is charged. Give either a price or a percentage. Left empty, a time is no limit.
catalog-dated-name = Name, such as Early bird
catalog-dated-percent = Or percent off
catalog-dated-add = Add the dated price
catalog-waiting-list = Waiting list
catalog-waiting = Waiting: { $waiting }; offered a place: { $offered }; bought: { $bought }; lapsed or declined: { $lapsed }.
catalog-first-email = Email address that is to be next
catalog-first = Put it first
catalog-dated-remove = Take out { $name }
catalog-no-mode = The course has no mode, so nothing of it is sold. Modes come from the course platform or an import.
catalog-none-found = No course of { $organisation } has this in its name or key.
catalog-none = { $organisation } has no courses yet. They come from the course platform or an import, which an operator sets up.

### Events, and the endpoints (addresses of other programs) that receive them

events-title = Events
# Tags behind an endpoint
events-disabled = disabled
events-failing = failing
events-enabled = enabled
# { $types } is a list such as order.paid, order.refunded
events-gets = Gets { $types }.
events-waiting = { PLURAL($n) ->
    [one] { $n } event waits.
   *[other] { $n } events wait.
}
events-failing-since = No delivery has succeeded since { $date }.
# The reason follows, in English
events-disabled-on = Disabled on { $date }:
events-enable-text = Fix the receiver first. Enabled, it gets all that it has missed.
events-enable = Enable it
events-change = Change its types, its secret, or remove it
events-types = Events that it gets
events-save-types = Save the types
events-secret-text = A new secret is shown once, on the next page. For a day, the present one signs beside it.
events-secret = Make a new secret
events-remove-text = { PLURAL($n) ->
    [one] Removed, it gets no events any more, and { $n } waiting event is not delivered. The feed keeps all of them.
   *[other] Removed, it gets no events any more, and { $n } waiting events are not delivered. The feed keeps all of them.
}
events-remove = Remove { $url }
# For screen readers: the table of the latest deliveries
events-deliveries = Deliveries to { $url }
events-event = Event
events-happened = Happened
events-attempts = Attempts
events-last-answer = Last answer
events-next = next at { $date }
events-failed = { PLURAL($n) ->
    [one] The last attempt of { $n } event has failed.
   *[other] The last attempts of { $n } events have failed.
}
events-send-failed = Send all of them again
events-send-again = Send again
# For screen readers: the button of one event; { $type } is order.paid and the like
events-send-this-again = Send { $type } of { $date } again
events-none-yet = No event was for this endpoint yet.
events-none = { $organisation } has no endpoint for events. Your technicians name an address; events can also be read from the feed.
events-new = Send events to an address
events-new-text = The next page shows the secret that signs the events, once.
events-new-submit = Send events to it

## The page that shows a secret once

secret-title = Secret
secret-heading = The secret that signs the events
secret-text = Give it to the technicians of the receiver now, over a safe channel: nothing can show it again. If it is lost, make a new one. The secret that the receiver has now signs beside it for a day.
secret-back = Back to the events

### The staff

staff-title = Staff
staff-heading = Staff of { $organisation }
staff-person = Person
staff-roles = Roles
# When the person was added
staff-since = Since
staff-remove = Remove
# For screen readers: the button of one person
staff-remove-person = Remove { $email } from the staff
staff-add = Add a person, or change their roles
staff-email = Email address of their account
# Ticks: each role and what it may do
staff-support = Support: mails, addresses, enrollments, alerts
staff-finance = Finance: refunds, withdrawals, reports
staff-manager = Manager: vouchers, seats, batches, the staff
staff-only-managers = A manager of your organisation changes this list.

### What the last form did: one line at the top of the next page

done-receipt = The mail is on its way.
done-address = The address was corrected, and what waited for it has moved. The new address gets its mails by itself: the receipt, and without an account the invitation.
done-alert = The alert is closed.
done-invoice = The invoice was corrected. The new one is on its way to the buyer.
done-invoice-asked = Finance is asked. The invoice stays as it is until then.
done-invoice-refused = The request is refused. The invoice stays as it is.
done-invitation = The invitation is on its way.
done-refund = The refund is under way. Its status is below.
done-payment = The payment is booked.
done-refund-arrived = The refund has arrived.
done-refund-back = The refund came back. The money counts as yours again.
done-payment-returned = The payment counts no more.
done-payment-cancelled = The order has ended.
done-document = The report is on record.
done-move = The move is under way. The old access ends once the course platform has confirmed the new one.
done-mails = The mail is on its way.
done-enrollments = The course platform is asked again.
done-withdrawal = The withdrawal is decided.
done-dead-letters = The message is dealt with. If it fails again, it comes back to this list.
done-staff = The staff was changed.
done-vouchers = { PLURAL($n) ->
    [one] { $n } voucher is ready.
   *[other] { $n } vouchers are ready.
}
done-voucher = The voucher was changed.
# Seats
done-assigned = The addresses are stored, and get their seats one by one.
done-freed = The seat is free again.
done-revoked = The access has ended. The seat stays spent.
done-no-seat = The address had no seat any more. Nothing was done.
done-reminded = Those who have not registered, and got no mail within a day, are reminded.
done-none-reminded = No address was reminded: each has registered, or got a mail within a day.
done-batch = The rows are stored, and done one by one.
done-catalog = The course is changed. The shop shows it within seconds.
done-endpoints = The endpoint is enabled. It gets the events that it has missed.
done-endpoint-changed = The endpoint is changed. If you have not seen its secret, make a new one.
done-deliveries = The event is on its way again.
done-deliveries-failed = All events that had failed are on their way again.
done-month = The month is closed.

### What went wrong: a title, and the next step

problem-signed-out = You are signed out
problem-signed-out-text = Sign in in another tab of this browser, then come back here. Nothing was done yet.
problem-sign-in = Sign in
problem-not-allowed = You are not allowed to do this
problem-not-allowed-text = Ask a manager of your organisation for the role, or go back.
problem-not-found = Not found
problem-not-found-text = Check the link, or search again.
problem-file = This did not work
problem-file-text = Nothing was done. Go back and send a smaller file, as CSV.
problem-sent-before = This form was sent before
problem-sent-before-text = It was sent with other fields then. Look at what it did first; sending the form again from here does it anew.
problem-invalid = This did not work
problem-invalid-text = Correct what is named below and send it again, or go back.
problem-running = This action is already running
problem-running-text = Wait a moment, then look again before you repeat anything.
problem-contradiction = This contradicts what is on record
problem-contradiction-text = Nothing was changed. Compare it with what the other system says.
problem-no-answer = No answer yet
problem-no-answer-text = It may still happen. Look again; sending this form again does nothing twice.
problem-too-many = Too many requests
problem-too-many-text = Wait a moment, then send it again.
problem-unavailable = This does not work now
problem-unavailable-text = Nothing was done. Try again in a moment; sending this form again does nothing twice.
problem-send-again = Send this form again
problem-start = To the start page
# The name of a field, when a form comes back
problem-email = Email address

## Faults of a form: what is wrong with { $field }. { $fault } is English, such as: is not a number, such as 12.50.
## Other languages put a colon between the two.

problem-fault = { $field } { $fault }.
fault-order = The order
fault-address = The address
fault-reason = The reason
fault-amount = The amount
fault-reference = The reference
fault-day = The day
fault-enrollment = The enrollment
fault-mail = The mail
fault-message = The message
fault-endpoint = The endpoint
fault-event = The event
fault-line = The line
fault-course = The course
fault-waive = The tick for another price
fault-file = The file

## Refusals as sentences. The key of each is what the programs say in English.

refusal-your-account-lacks-the-role-support = Your account lacks the role support.
refusal-your-account-lacks-the-role-finance = Your account lacks the role finance.
refusal-your-account-lacks-the-role-manager = Your account lacks the role manager.
refusal-is-required-for-the-record = { $field } is required, for the record.
refusal-is-not-an-email-address = { $field } is not an email address.
refusal-is-not-a-number-such-as-12-50 = { $field } is not a number, such as 12.50.
refusal-is-not-clear-write-1000-for-a-thousand-and-1-00-for-one = { $field } is not clear: write 1000 for a thousand, and 1.00 for one.
refusal-is-the-order-s-address-already = The order has this address already.
refusal-was-bought-by-an-account-whose-owner-changes-the-address-at-the-course-platform = An account has bought it: its owner changes the address at the course platform.
refusal-waits-for-its-payment-or-has-ended-only-an-order-that-is-complete-can-be-corrected = The order waits for its payment or has ended. Only a complete one can be corrected.
refusal-has-opened-a-course-under-this-address-already-or-was-upgraded-or-moved = A course was opened under this address already, or the order was upgraded or moved.
refusal-has-the-same-order-already = This address has the same order already.
refusal-is-not-a-course-of-the-organisation = Your organisation has no course with this key.
refusal-is-not-on-sale-in-this-mode-or-the-buyer-has-it-already = The course is not on sale in this mode, or the buyer has it already.
refusal-gives-no-access-that-can-be-moved = The line gives no access that can be moved.
refusal-is-what-the-line-gives-already = The line gives this already.
refusal-leads-to-what-this-person-has-already = The person has this course already.
refusal-is-sold-out = The course is sold out.
refusal-is-being-moved-the-course-platform-has-not-confirmed-it-yet = The line is being moved: the course platform has not confirmed it yet.
refusal-has-no-invoice = The order has no invoice.
refusal-has-refunds-so-its-invoice-stays-as-it-is = The order has refunds, so its invoice stays as it is.
refusal-was-corrected-three-times-already = The invoice was corrected three times already.
refusal-changes-the-tax-refund-the-order-and-sell-it-again = This address changes the tax: refund the order and sell it again.
refusal-waits-for-no-other-invoice = Finance is asked for nothing about this order any more.
refusal-has-no-receipt-it-is-not-paid-or-its-courses-are-not-open-yet = There is no receipt: the order is not paid, or its courses are not open yet.
refusal-has-no-open-alert = The payment has no open alert any more.
refusal-is-the-last-manager-an-operator-can-change-that = This is the last manager; an operator can change that.
refusal-is-not-over-yet = The month is not over yet.
refusal-is-closed-already = The month is closed already.
refusal-is-not-a-month-such-as-2026-11 = { $field } is not a month, such as 2026-11.
refusal-is-not-of-an-account-that-has-bought-or-enrolled-here-an-operator-can-add-it = No account with this address has bought or enrolled here; an operator can add it.
