# What buyers and learners read: mails, pages, invoices and credit notes.
# How to translate it: docs/translating.md. In braces with a dollar sign stand names and amounts, already written as the
# language writes them. { $organisation } is the seller's name.

### Mails

## Every mail

mail-order = Order { $order }
mail-invoice-attached = Invoice { $number } is attached.
mail-credit-note-attached = Credit note { $number } is attached.
mail-open-course = Go to your course
mail-begins = Start date, also in the attached calendar file:
mail-begins-at = { $course }: { $moment } ({ $zone })
mail-open-invoice = View your invoice
mail-open-credit-note = View your credit note
mail-create-account = Create your account
mail-reason = { $organisation } sends you this message because of an order or an enrollment under this address.
mail-contact = Questions? Answer this mail, or write to { $email }.

## Receipt: after an order was paid or was free

receipt-subject = Your receipt from { $organisation }
receipt-heading = Thank you for your purchase
receipt-bought = This is what you bought from { $organisation } on { $date }:
receipt-voucher = Voucher { $code } saved you { $amount }.
receipt-courses = Your courses are in your account. If you have none yet, another message shows you how to create it with this email address.
receipt-agreed = On { $date } you agreed:
receipt-agreed-terms = to the terms of sale
receipt-agreed-version = to the terms of sale, version { $version }
receipt-agreed-begin = that we begin before the period of withdrawal has ended, as you expressly asked
receipt-agreed-service = that you lose your right of withdrawal once the service has been fully performed
receipt-agreed-content = that you lose your right of withdrawal by that

invoice-subject = Your invoice from { $organisation }
invoice-heading = Thank you for your order
invoice-ordered = This is what you ordered from { $organisation } on { $date }:
invoice-pay = Please pay { $amount } by { $date } to this account. Give the reference { $reference }.
cancelled-subject = Your invoice from { $organisation } was cancelled
cancelled-heading = Your invoice was cancelled
cancelled-text = The order was cancelled: there is nothing to pay, and its courses are no longer open to you.
transfer-subject = How to pay for your order from { $organisation }
document-again-subject = Your document from { $organisation }
document-again-heading = Here is your new link
document-again-text = A new link to this document was asked for on its page. The earlier links no longer have to be kept.

# The invoice or credit note that the mail about the payment or the refund went without.
document-follows-subject = Your document from { $organisation }
document-follows-heading = Here is your document
document-follows-text = It belongs to this order. If we sent you an earlier version, this one takes its place.

## An invoice that was corrected

corrected-subject = Your corrected invoice from { $organisation }
corrected-heading = Your invoice was corrected
corrected-text = The new invoice takes the place of the one before. Nothing else about your order changes.

## A place that has moved to another course or person

moved-subject = A change of your order at { $organisation }
moved-heading = Your place has moved
moved-to-course = Your place in { $from } is now one in { $to }. Nothing is charged or refunded for this.
moved-to-person = Your place in { $to } belongs to another person now, as was asked for. Nothing is charged or refunded for this.
access-ends-subject = Your access to a course at { $organisation } ends soon
access-ends-heading = Your access ends soon
access-ends-text = { $date } is the last day of your access to { $course }.
access-ends-again = If you buy it again, the new time follows the present one.
access-over-subject = Your access to a course at { $organisation } has ended
access-over-heading = Your access has ended
access-over-text = { $date } was the last day of your access to { $course }.
access-buy-again = Buy it again

## The waiting list of a full course

waiting-confirm-subject = A place in a course at { $organisation }: please confirm
waiting-confirm-heading = Do you want to wait for a place?
waiting-confirm-text = { $course } is full. You, or another person with this address, asked to be told when a place is free. If it was not you, you need do nothing: this address is then forgotten after a week.
waiting-listed-subject = You are on the waiting list of { $organisation }
waiting-listed-heading = You are on the waiting list
waiting-listed-text = When a place in { $course } is free and it is your turn, you get an email. That place is then held for you for a while.
waiting-leave-hint = You can leave the list at any time:
waiting-offered-subject = A place is free in a course at { $organisation }
waiting-offered-heading = A place is free for you
waiting-offered-text = A place in { $course } is held for you until { $date } at { $time } ({ $zone }). After that it goes to the next person.
waiting-code = The code { $code } opens the place for this email address only.

## Refund

refund-subject = Your refund from { $organisation }
refund-heading = Your refund of { $amount }
refund-lines = { $organisation } has refunded { $amount } of your order:
refund-time = The money goes back the way you paid. It can take up to ten days to arrive.

## Invitation: to somebody who has courses but no account yet

invitation-subject = Your place at { $organisation }
invitation-heading = A place is reserved for you
invitation-courses = { $organisation } has reserved a place for you in:
invitation-how = To start learning, create your account with this email address.
invitation-afterwards = Your courses appear in your account as soon as it is active. If you already have an account under another address, create one under this address, or ask { $organisation } to change it.
invitation-unexpected = If you did not expect this message, you can ignore it: nothing happens without you.

## Seats ready: to somebody who bought places for others

seats-subject = Your seats from { $organisation }
seats-heading = { PLURAL($seats) ->
    [one] Your seat is ready
   *[other] Your { $seats } seats are ready
}
seats-ready = { PLURAL($seats) ->
    [one] You can now give out { $seats } seat in { $item } from { $organisation }.
   *[other] You can now give out { $seats } seats in { $item } from { $organisation }.
}
seats-manage = Assign them to people by their email addresses, see who has one, and take seats back.
seats-open = Manage your seats
seats-link = This link opens your seats for a year. Give it only to those who may manage them.
seats-code = Send people this code: each person can take one seat by checking out { $item } with it.
seats-code-too = Or send people this code: each person can take one seat by checking out { $item } with it.

## Seat assigned: to somebody for whom another person has bought a place. { $giver } is that person's address, or the seller

seat-subject = Your place at { $organisation }
seat-heading = You have a place in { $item }
seat-heading-reminder = Your place in { $item } is still waiting for you
seat-given = { $giver } has given you a place in { $item }, at { $organisation }.
seat-in-account = It is in your account.
seat-afterwards = Your courses appear in your account as soon as it is active. If you already have an account under another address, ask { $giver } to use that one.
seat-unexpected = If you did not expect this message, you can ignore it.
gift-subject = A gift for you at { $organisation }
gift-heading = { $giver } gives you { $item }
gift-planned-heading = Your gift is ready
gift-planned = { $recipient } gets the seat on { $date }.
gift-given-now = It is on its way to { $recipient }.
gift-change = Until then you can assign it to someone else.

## Withdrawal from the contract

withdrawal-subject = Your withdrawal from { $organisation }
withdrawal-heading = Your withdrawal has been received
withdrawal-received = { $organisation } has received your withdrawal on { $date } at { $time }:
withdrawal-name = Name: { $name }
withdrawal-email = Email: { $email }
withdrawal-keep = Please keep this message: it confirms what you declared, and when.
withdrawal-unproved = Nothing has shown us yet that you are the buyer. The withdrawal counts from the time above, and is carried out on { $date }. If you did not declare it, say so before that, and nothing happens until { $organisation } has asked you.
withdrawal-object = I did not declare this
withdrawal-refused-subject = Your withdrawal from { $organisation } was not accepted
withdrawal-refused-heading = Your withdrawal was not accepted
withdrawal-refused = { $organisation } has looked at the withdrawal that you declared on { $date }, and has not accepted it:
withdrawal-disagree = If you do not agree, please write to { $organisation }.

### Mails, pages and invoices

item-seats = { PLURAL($seats) ->
    [one] { $item }, { $seats } seat
   *[other] { $item }, { $seats } seats
}
order-tax = Tax
order-tax-included = of which tax
order-total = Total
# The link of receipts, and the title of the page to which it leads.
withdraw-here = Withdraw from contract here

# The buttons of mails about a waiting list, and of the page to which they lead.
waiting-confirm = Yes, put me on the list
waiting-leave = Leave the list
waiting-buy = Take the place
waiting-decline = I do not want it

### Pages

## The payment page

page-payment = Payment – { $organisation }
page-your-order = Your order
page-pay = Pay { $amount }
page-loading = Loading…
page-moment = One moment…
page-back = Back to { $shop }
page-no-script = Paying needs JavaScript, which is switched off in your browser.
page-no-provider = The payment provider cannot be reached. Please reload this page in a moment.
page-failed = That payment did not succeed. Please try again, or use another card.
page-unfinished = The payment was not finished.
page-again = That did not work. Please try again.
page-confirming = We are waiting for your payment to be confirmed…
page-unconfirmed = Your payment has not been confirmed yet. You will get a message as soon as it is; please do not pay again.
page-transfer = Please transfer { $amount } to this account by { $date }. Give the reference, so that your payment is found.
page-transfer-account = Account
page-transfer-reference = Reference
transfer-code = Scan this code with your banking app to fill in the transfer.
page-transfer-partly = { $received } has arrived; { $open } is still to be paid.
page-transfer-later = You get a message as soon as your payment has arrived, and your courses open then.

## The standing of an order: a word for lists, sentences for its buyer

standing-open = not completed
standing-waiting = waiting for the payment
standing-at-bank = waiting for the bank
standing-transfer = waiting for the transfer
standing-on-account = invoice open
standing-overdue = invoice overdue
standing-opening = paid
standing-registration = waiting for registration
standing-refused = access refused
standing-complete = complete
standing-ended = access ended
standing-partly-refunded = partly refunded
standing-refunded = refunded
standing-disputed = disputed
standing-lost = taken back by the bank
standing-cancelled = cancelled
standing-expired = expired
standing-replaced = replaced
standing-payment-open = This order has not been completed yet. You can go on in the shop.
standing-payment-free = Your order is complete.
standing-payment-waiting = Your payment has not been confirmed yet. This page shows it as soon as it is.
standing-payment-at-bank = We are waiting for your bank, which can take some days. You get a message as soon as your payment has arrived; please do not pay again.
standing-payment-transfer = We are waiting for your transfer. You get a message as soon as it has arrived.
standing-payment-on-account = Please pay the invoice by its due date.
standing-payment-overdue = The invoice is overdue. Please pay it now.
standing-payment-paid = Thank you, your payment has arrived.
standing-payment-partly-refunded = A part of this order has been refunded.
standing-payment-refunded = This order has been refunded.
standing-payment-disputed = Your bank has been asked to take this payment back, and has not decided yet.
standing-payment-lost = Your bank has taken this payment back.
standing-payment-cancelled = This order was ended. You can start again in the shop.
standing-payment-expired = This order was not paid in time. You can start again in the shop.
standing-payment-replaced = This order was replaced by another one, and your bank still works on its payment. Please do not pay it again.
standing-access-opening = Your courses are being opened.
standing-access-registration = Your courses open as soon as you register with your address.
standing-access-open = Your courses are in your account.
standing-access-seats = You can assign the seats.
standing-access-refused = The course platform has refused the access; the organisation is looking into it.
standing-access-ended = The access to the courses has ended.
standing-access-account = Your courses are in the account with your address, once it exists.
status-replaced = This payment was replaced by another one. Please finish that one, or start again in the shop.

## The page of withdrawal, in two steps. Article 11a of Directive 2011/83/EU asks for the words of withdraw-here (above) and
## withdraw-confirm, or others as unambiguous: these are those of its official version, where the language has one

withdraw-confirm = Confirm withdrawal
withdraw-intro = Use this form to withdraw from a contract. You need no account and give no reasons.
withdraw-intro-shop = Use this form to withdraw from your contract with { $organisation }. You need no account and give no reasons.
withdraw-link-expired = The link that you have followed is no longer valid. You can still declare your withdrawal here.
withdraw-order = Order or invoice number
withdraw-order-hint = As your receipt shows it.
withdraw-name = Your name
withdraw-email = Your email address
withdraw-email-hint = The address of your order. We confirm your withdrawal there.
withdraw-items = What do you withdraw from?
withdraw-item = Course or program
withdraw-continue = Continue
withdraw-check = Please check your declaration: I withdraw from the contract about this order.
withdraw-change = Change it
withdraw-correct = Please correct this:
withdraw-no-order = Enter the number of your order or invoice.
withdraw-no-name = Enter your name.
withdraw-no-email = Enter your email address, such as name@example.com.
withdraw-no-item = Choose at least one.
withdraw-received = Your withdrawal was received
withdraw-received-at = We received your declaration on { $date } at { $time }.
withdraw-acknowledged = If it names an order of this address, you will get a confirmation with its content by email.
withdraw-confirmed = You will get a confirmation with its content by email.
withdraw-objection = Did you not declare this?
withdraw-objection-text = A person has declared the withdrawal from your order and has not shown that they are you. If that was not you, say so here. Nothing then happens until the seller has asked you.
withdraw-objected = Thank you. The seller will look at this first, and your order stays as it is until then.
withdraw-object-late = There is nothing to object to any more: this withdrawal was decided, withdrawn or objected to before, or this link is no longer valid.

## The page of a waiting list

waiting-page-title = Waiting list
waiting-page-full = { $course } is full. Do you want to be told when a place is free?
waiting-page-listed = You are on the waiting list of { $course }. You get an email when it is your turn.
waiting-page-offered = A place in { $course } is held for you until { $date } at { $time } ({ $zone }).
waiting-page-ended = You are not on the waiting list of this course, or not any more.

## The page for buying what a link of the course platform names

buy-seats-offer = Seats for others, price of one
buy-upgrade = upgrade from { $mode }
buy-voucher-accepted = The code { $code } has been applied.
buy-voucher-refused = The code { $code } does not apply to this order. This is the price without it.
buy-seats = Number of seats
buy-name = Name
buy-line1 = Street and number
buy-line2 = Address, second line
buy-city = City
buy-state = State or province
buy-postal-code = Postal code
buy-country = Country (two letters, such as IN)
buy-consent-terms = I agree to the terms of sale.
buy-consent-begin-now = I want to begin before the period of withdrawal has ended.
buy-consent-loses-right = I know that I lose my right of withdrawal by that.
buy-terms = Terms of sale
buy-enroll = Enroll
buy-continue = Continue to payment
buy-back = Back to your courses

## Instead of that page

buy-not-sold = This is not on sale
buy-not-sold-text = The course or its certificate cannot be bought here, or not any more. Go back to the course and open the page again from there.
buy-apart = Please buy these one by one
buy-apart-text = These courses are sold by different organisations. Open each course and buy it there.
buy-inactive = Please confirm your email address
buy-inactive-text = You got a mail with a link when you registered. Open that link, then come back to this page.
buy-held = You have this already
buy-held-text = There is nothing to pay. The course is in your account.
buy-refused = This cannot be bought now
buy-refused-text = The course may be full, closed for enrollment, or in your account already.
buy-faulty = Please check what you have entered
buy-faulty-text = Go back and correct this:
# $label is buy-seats.
buy-faulty-seats = { $label } (from 1 to { $most })
buy-signed-out = Please sign in again
buy-signed-out-text = Your session has ended. Open the page again from your course.
buy-not-admitted = You cannot buy from this organisation
buy-not-admitted-text = It sells to its own learners only. Ask it for access.
buy-no-payments = This shop takes no payments yet
buy-no-payments-text = Please try again later, or ask the organisation.
buy-failed-text = Please open it again in a moment. You have not been charged.

## The page of a learner's orders

history-title = Your orders
history-none = You have not bought anything yet.
history-refunded = refunded { $amount }
history-invoice = Invoice { $number }
history-credit-note = Credit note { $number }

## Instead of a page that cannot be shown

problem-expired = This link has expired
problem-expired-text = Links to an order work for a short time only. If you have paid, there is nothing left to do: your courses open as soon as the payment arrives, and you get a receipt by email. To see your order, or to pay it if you have not done so, go back to the shop and sign in.
problem-invalid = This link is no longer valid
problem-invalid-text = Links to an order work for a short time only. Please sign in and open the order again in the shop.
problem-not-found = Order not found
problem-not-found-text = There is no such order, or it is not yours. Please check the link.
problem-too-many = Too many requests
problem-too-many-text = Please wait a moment, and open the page again.
problem-other = This page cannot be shown now
problem-other-text = Please open it again in a moment. Your order is not affected.
problem-unseen = You are not signed in here
problem-unseen-text = The platform has signed you in, but your browser does not tell this page. Allow cookies for this site, then open the page again.
problem-again-text = Please open it again in a moment.
problem-document-text = Links to invoices and credit notes work for 90 days, and only in full. We can send a new one to the address that got the first message.
problem-document-send = Send a new link
problem-document-sent = A new link is on its way
problem-document-sent-text = Please look into the mailbox that got the first message. It can take a few minutes; at most three messages a day are sent.
problem-invitation = This link is incomplete
problem-invitation-text = Please open the message again and use its button, or copy the whole link. You can also create your account without it: use the address that got the message, and your courses appear there.

### Invoices and credit notes

document-invoice = Invoice
document-credit-note = Credit note
document-number = Number
document-for-invoice = For invoice
document-issued = Date of issue
document-supplied = Date of supply
# Of sellers in India: the state of the buyer, which decides their tax.
document-place-of-supply = Place of supply
document-order = Order
document-reference = Reference
document-paid-through = Paid through
document-due = Due date
document-payment-reference = Payment reference
document-pay-to = Please pay to this account: { $account }
document-bank-transfer = Bank transfer
document-billed-to = Billed to
document-tax-id = Tax ID { $number }
document-description = Description
document-quantity = Quantity
document-each = { $price } each, before tax
document-net = Net
document-rate = Rate
document-tax = Tax
document-total = Total
document-total-credited = Total credited
# Such as: USt 19 % of 200.00. The tax's name is the seller's legal word for it.
document-tax-of = { $tax } { $rate } of { $net }
# The tax in the currency of the seller's state, with the exchange rate, its day and who has published it, such as a central bank.
document-converted-tax = Tax in { $currency }: { $amount } (1 { $base } = { $rate } { $currency }, { $day }, { $source })
document-page = Page { $page } of { $pages }
# { $mode } is the kind of enrollment, such as verified; it is not translated.
document-line = { $item } ({ $mode })
document-line-seats = { $item } ({ $mode }, seats)
document-line-upgrade = { $item } ({ $mode }, upgrade from { $from })
document-voucher = Voucher { $code } took { $amount } off the prices.
document-reverse-charge = Reverse charge: VAT is to be accounted for by the recipient.
# Of documents that a tax authority has to clear, such as in Poland or India: the number that it gives, the time, and the code that it wants on them.
document-cleared-number = Authority’s number
document-cleared = Cleared
document-cleared-code = Scan this code to check this document with the authority.
# Beside the code with the seller’s own link.
document-check-code = Scan this code to check this document.

### The example shop

## On every page

shop-name = Example shop
shop-skip = Skip to the content
shop-courses = Courses
shop-programs = Programs
shop-basket = Basket
shop-my-orders = My orders
shop-my-seats = My seats
shop-sign-in = Sign in
shop-sign-out = Sign out
shop-footer = Courses of several organisations, in one shop. You learn on their course platform, with one account.
shop-language = Language
shop-language-set = Change
shop-country-demo = Country (demonstration)
shop-country-none = Not chosen
shop-country-set = Set

## Lists

shop-hero-title = Learn from people who do the work
shop-hero-text = Courses from independent academies, with a certificate if you want one. Start today, at your own pace.
shop-search = Search
shop-search-hint = Statistics, carpentry, Sanskrit…
shop-courses-count = { PLURAL($count) ->
    [one] { $count } course
   *[other] { $count } courses
}
shop-programs-count = { PLURAL($count) ->
    [one] { $count } program
   *[other] { $count } programs
}
shop-organisations-count = { PLURAL($count) ->
    [one] { $count } academy
   *[other] { $count } academies
}
shop-filter-organisation = Filter by academy
shop-filter-topic = Filter by topic
shop-filter-all = All
shop-sort = Sort by
shop-sort-new = Newest
shop-sort-rating = Rating
shop-sort-price = Price
shop-sort-name = Name
shop-sort-set = Sort
shop-pages = Pages
shop-pages-back = Back
shop-pages-next = Next
shop-nothing-found = Nothing was found
shop-nothing-found-hint = Try fewer words, or another topic.
shop-show-all = Show all
shop-programs-offer = Take several courses together, and save
shop-programs-all = All programs
shop-new = New
shop-free = free
shop-instead-of = instead of
shop-price-until = { $name }, until { $date }
shop-lowest-before = Lowest price of the 30 days before: { $amount }
shop-about = about { $amount }
shop-percent-off = −{ $percent }
shop-rated = Rated { $rating } of 5
shop-not-for-sale = Not for sale at the moment

## A course or a program

shop-self-paced = At your own pace
shop-scheduled = With fixed dates
shop-outline = What is in it
shop-outline-size = { PLURAL($sections) ->
    [one] { $sections } section
   *[other] { $sections } sections
}, { PLURAL($lessons) ->
    [one] { $lessons } lesson
   *[other] { $lessons } lessons
}
shop-lessons = { PLURAL($count) ->
    [one] { $count } lesson
   *[other] { $count } lessons
}
shop-access-days = { PLURAL($days) ->
    [one] Access for { $days } day
   *[other] Access for { $days } days
}
shop-access-until = Access until { $date }
shop-reviews = What learners say
shop-choose = Choose how you learn
shop-seats-offer = Buy seats for a team
shop-seats-number = Number of seats for others
shop-gift-offer = Buy it as a gift
shop-gift = A gift
shop-gift-hint = The recipient gets the seat and your message by mail, on the day that you choose. Without an address, you give the seat out yourself.
shop-gift-email = Address of the recipient
shop-gift-giver = Your name, as the recipient reads it
shop-gift-on = Day (left out: at once)
shop-gift-message = Your message
shop-error-gift-on = Choose today or a later day, within a year.
shop-gift-alone = A gift is an order of its own: order it without the other items.
shop-add = Add to the basket
shop-not-for-sale-hint = Its organisation gives access by invitation, or has closed enrollment.
shop-full = This course is full
shop-full-hint = When a place is free and it is your turn, you get an email, and the place is held for you for a while.
shop-wait = Wait for a place
shop-waiting-listed = You are on the waiting list.
shop-waiting-asked = We have sent you an email. Please confirm there that you want to wait.
shop-has-code = Have you got a code for a place?
shop-included = Included
shop-starts = Starts on { $date }
shop-started = Has started: begin today
shop-open-until = Open until { $date }
shop-certificate = A certificate when you pass
shop-receipt-included = A receipt by mail
shop-duration-hours = { PLURAL($count) ->
    [one] { $count } hour
   *[other] { $count } hours
}
shop-duration-days = { PLURAL($count) ->
    [one] { $count } day
   *[other] { $count } days
}
shop-duration-weeks = { PLURAL($count) ->
    [one] { $count } week
   *[other] { $count } weeks
}
shop-duration-months = { PLURAL($count) ->
    [one] { $count } month
   *[other] { $count } months
}
shop-duration-years = { PLURAL($count) ->
    [one] { $count } year
   *[other] { $count } years
}
shop-program-courses = The courses, in their order
shop-achievements = What you have at the end
shop-program-all = All courses together
shop-program-alone = Bought one by one
shop-program-saved = You save
shop-program-single = Sold course by course
shop-program-single-hint = This program has no price of its own. Choose its courses below.
shop-program-certificates = A certificate for each course that you pass

## Modes

shop-mode-audit = Without a certificate
shop-mode-honor = Honour code certificate
shop-mode-verified = Verified certificate
shop-mode-professional = Professional
shop-mode-bootcamp = Bootcamp
shop-mode-executive-education = Executive education
shop-mode-credit = With academic credit
shop-mode-masters = Master's degree

## The basket

shop-basket-title = Your basket
shop-basket-empty = Your basket is empty
shop-basket-empty-hint = Add a course or a program, and it waits here for you.
shop-look-courses = Look at the courses
shop-start-again = Start again
shop-look-programs = Look at the programs
shop-price-changed = The price has changed. Please look at it again.
shop-reverse-charge-applied = No tax is charged: your VAT ID was confirmed, so your company declares the tax itself (reverse charge).
shop-reverse-charge-invalid = Tax is charged: the EU's register does not know this VAT ID. Please check it, or leave it out.
shop-reverse-charge-unavailable = Tax is charged, because the EU's register cannot confirm the VAT ID at the moment. To buy without tax, please try again later.
shop-baskets-others = Each academy has a basket of its own. You also have:
shop-basket-items = { PLURAL($count) ->
    [one] { $count } item
   *[other] { $count } items
}
shop-basket-full = Your basket is full, so nothing was added. Please check out first what is in it, or remove something.
shop-error-required = Please fill this in.
shop-error-check = Please check what you have entered.
shop-error-voucher = This code does not apply to this order.
shop-error-seats = Enter a number of seats from 1 to 1000.
shop-error-item = This cannot be bought at the moment. Please remove it.
shop-error-items = These cannot be bought together. Please remove something.
shop-error-emails = Please check the addresses: one in each line, 500 at most.
shop-seats-count = { PLURAL($count) ->
    [one] { $count } seat
   *[other] { $count } seats
}
shop-upgrade = an upgrade from: { $mode }
shop-remove = Remove
shop-item-course = A course
shop-item-program = A program
shop-subtotal = Subtotal
shop-regional = Discount for your country
shop-discount = Discount
shop-quote-until = These prices hold until { $date }.
shop-voucher-line = Voucher { $code }
shop-voucher = Voucher
shop-voucher-apply = Apply
shop-voucher-accepted = accepted
shop-voucher-refused = not accepted
shop-voucher-unknown = This code is not known.
shop-voucher-not_started = It is not valid yet.
shop-voucher-expired = It is no longer valid.
shop-voucher-exhausted = It has no uses left.
shop-voucher-not_for_these_items = It is for other courses.
shop-voucher-currency = It is for another currency.
shop-checkout = Check out
shop-sign-in-hint = with an account, your courses are there at once.
shop-email = Email address
shop-email-hint = We send your receipt there, and your courses are in the account with this address.
shop-billing = Billing address
shop-pay-by-invoice = Pay by invoice, as a company
shop-invoice-company = To pay by invoice, enter the company, and the tax ID under which the seller knows it.
shop-invoice-sent = The invoice is on its way to you by mail.
shop-optional = (if you need it on the invoice)
shop-address-needed = (the payment needs the fields with *)
shop-field-name = Name
shop-field-company = Company
shop-field-tax_id = Tax ID (such as a VAT ID)
shop-field-line1 = Street
shop-field-city = City
shop-field-postal_code = Postal code
shop-field-state = State
shop-field-country = Country
shop-consents = Before you buy
shop-consents-missing = With this address there is something more to agree to. Please look at what is named below.
shop-terms = Read the terms of sale
shop-consent-terms = I agree to the terms of sale.
shop-consent-begin_now = I want to begin at once, before the withdrawal period has ended.
shop-consent-loses_right = I know that I lose my right of withdrawal by that.
shop-take = Take the courses
shop-buy-for = Buy for { $amount }
shop-buy-hint = You pay on the next page. Your card's data never reaches this shop.

## Payment

shop-payment = Payment
shop-leaving = You pay at the provider's page
shop-leaving-hint = It opens by itself. Afterwards you come back to your order here.
shop-leave = Go there now
shop-pay-unavailable = The payment provider cannot be reached.
shop-pay-kept = Your order is kept, and nothing has been charged. Please try again, or go back and choose another way.
shop-pay-again = Try again

## Orders

shop-order-title = Your order
shop-order-number = Order
shop-orders-title = Your orders
shop-orders-none = You have no orders yet
shop-orders-none-hint = What you buy is listed here, with its invoices.
shop-timeline = Progress of the order
shop-step-placed = Ordered
shop-step-paid = Paid
shop-step-access = Access
shop-step-receipt = Receipt
shop-step-invoice = Invoice
shop-step-waiting = waiting for the provider
shop-step-transfer = waiting for your transfer
shop-step-closed = not paid
shop-step-account = in the account with your address, once it exists
shop-step-enrolled = your courses are open
shop-step-seats = you can give out the seats
shop-step-working = a moment, please
shop-step-refused = the platform refused it; the organisation looks into it
shop-step-ended = ended
shop-step-mail = in your mail
shop-enrollment-none = not yet
shop-enrollment-enrolled = enrolled
shop-enrollment-pending_registration = waiting for an account
shop-enrollment-removed = ended
shop-enrollment-refused = refused by the platform
shop-refund = Ask for a refund
shop-refund-until = until { $date }
shop-refunded = { $amount } refunded
shop-documents = Invoices and credit notes
shop-next = What happens next
shop-next-mail = The receipt is in your mail.
shop-next-account = Sign in with that address to see the order in your account.

## Seats

shop-seats-title = Your seats
shop-seats-none = You have bought no seats
shop-seats-none-hint = You can buy seats for others in every course that costs something.
shop-seats-manage = Manage the seats
shop-seats-mail = The link in your mail opens the seats.
shop-seats-left = { PLURAL($seats) ->
    [one] { $left } of { $seats } seat left
   *[other] { $left } of { $seats } seats left
}
shop-batch = Result for each address
shop-batch-waiting = This page updates until every address is done.
shop-assigned = Who has a seat
shop-assigned-none = Nobody yet.
shop-seat = Seat
shop-seat-pending = waiting for an account
shop-seat-enrolled = enrolled
shop-seat-ended = taken back
shop-take-back = Take back
shop-remind = Remind those who have not registered
shop-reminded = { PLURAL($count) ->
    [one] { $count } reminder is on its way.
   *[other] { $count } reminders are on their way.
}
shop-reminded-recently = { PLURAL($count) ->
    [one] { $count } address got a message within the last day, and gets no other one today.
   *[other] { $count } addresses got a message within the last day, and get no other one today.
}
shop-reminded-none = Nobody was reminded: no seat waits for a registration.
shop-taken-back-free = The seat was taken back. You can give it to somebody else.
shop-taken-back-spent = The seat was taken back, and its access has ended. It was in use, so it cannot be given out again.
shop-taken-back-none = Nothing has changed: this address has no seat.
shop-row-repeated = is in the list twice
shop-row-used-up = no seats left
shop-row-address = is not an address to which mail can be sent
shop-row-refused = got no seat
shop-assign = Assign seats
shop-assign-emails = Email addresses, one in each line
shop-assign-do = Assign
shop-code = Code:
shop-code-hint = Each person can take one seat by checking out this course with the code as its voucher.

## Faults

shop-fault-missing = There is no such page
shop-fault-hint-missing = It may have moved, or the address has a typing error.
shop-fault-busy = Too many attempts
shop-fault-hint-busy = Please try again in a minute.
shop-fault-unavailable = That did not work
shop-fault-hint-unavailable = A service that we need does not answer. Nothing is lost: please try again in a moment.
shop-fault-foreign = That form came from elsewhere
shop-fault-hint-foreign = Only pages of this shop can send its forms. Open the page again here, and send the form from it.
shop-fault-unreadable = That could not be read
shop-fault-hint-unreadable = Something in the address or in the form is not as it should be. Go back, and try again.
shop-fault-refused = That did not work
shop-fault-hint-refused = Please go back, check what you have entered, and try again.
shop-fault-hint-link = Links in mails work for a limited time. Please sign in with the address to which it was sent, or ask the organisation for a new link.
shop-to-basket = Back to the basket

### The course platform's catalog

slot-buy-certificate = Buy the certificate
slot-buy-course = Buy the course
slot-sold-out = Sold out
slot-certificate-sold-out = Certificate: sold out
slot-tax-rate = incl. { $rate } tax
slot-tax-included = incl. tax
slot-tax-excluded = plus tax
slot-price-before = Price before the discount:
slot-price-now = Price:
slot-program = Program { $name }:
