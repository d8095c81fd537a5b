# Malay. Address the reader as anda. Malay has one plural form.

### Every page

## The frame of each page

console-title = Konsol
console-skip = Langkau ke kandungan
console-desk = meja bantuan
console-search = Cari
console-search-for = Alamat, nama, syarikat, pesanan, rujukan, kursus, kod
console-other-shop = Kedai lain
console-sign-out = Log keluar
console-zone = Hari dan masa mengikut { $zone }.

## Links below a long list

console-pages = Halaman
console-previous = Sebelumnya
console-page = Halaman { $n }
console-next = Seterusnya

## Moments and times

console-age-now = sejak sebentar tadi
console-age-minutes = sejak { $n } minit lalu
console-age-hours = sejak { $n } jam lalu
console-age-days = sejak { $n } hari lalu
console-since = sejak { $date }

## Words that are headings of columns, names of fields, or buttons

console-action = Tindakan
console-address = Alamat
console-addresses = Alamat
console-amount = Amaun
console-budget = Bajet
console-buyer = Pembeli
console-campaign = Kempen
console-change = Ubah
console-code = Kod
console-course = Kursus
console-courses = Kursus
console-filter = Tapis
console-mode = Mod
console-note = Nota
console-order = Pesanan
console-orders = Pesanan
console-placed = Dipesan pada
console-price = Harga
console-reason = Sebab
console-refunded = Dibayar balik
console-row = Baris
console-rows = Baris
console-save = Simpan
console-status = Status
console-tax = Cukai
console-total = Jumlah
console-url = URL
console-uses = Penggunaan
console-uses-in-all = Jumlah penggunaan
console-uses-by-one = Penggunaan setiap pembeli
console-takes-off = Potongan
console-taken-off = Jumlah dipotong
console-valid-from = Sah dari
console-valid-until = Sah hingga
console-no-end = tiada tarikh tamat
console-no-limit = tiada had
console-ended = tamat
console-of = { $part } daripada { $whole }
console-last-30-days = 30 hari lepas

## What several pages say

console-will-happen = Apa yang akan berlaku
console-on-record = Tindakan ini direkodkan atas nama anda, { $name }.
console-show-first = Tunjukkan apa yang akan berlaku
console-ask-platform = Minta platform kursus sekali lagi
console-look-again = Muat semula
console-progress = Kemajuan
console-done-of = { $done } daripada { $total } selesai.
console-done-and-failed = { $done } daripada { $total } selesai, { $failed } gagal.

### Stored words, each as a tag or in a column

## Status of an order


## Status of a person's access to a course

access-status-enrolled = didaftarkan
access-status-pending-registration = menunggu akaun
access-status-removed = dinyahdaftar
access-status-refused = ditolak
access-status-cancelled = dibatalkan
access-status-none = tiada

## Status of a payment

payment-status-created = dicipta
payment-status-processing = sedang diproses
payment-status-succeeded = berjaya
payment-status-failed = gagal
payment-status-cancelled = dibatalkan
payment-status-superseded = digantikan
payment-status-refunded = dibayar balik

## Status of a refund

refund-status-asked = diminta
refund-status-accepted = diterima
refund-status-succeeded = selesai
refund-status-failed = gagal

## Status of a dispute at the buyer's bank

dispute-status-open = terbuka
dispute-status-won = menang
dispute-status-lost = kalah

## Status of a withdrawal

withdrawal-status-received = menunggu
withdrawal-status-unmatched = tiada pesanan sepadan
withdrawal-status-accepted = diluluskan
withdrawal-status-refused = ditolak

## Status of a row of a batch, and of the batch

row-status-waiting = menunggu
row-status-done = selesai
row-status-failed = gagal
batch-status-running = sedang berjalan
batch-status-done = selesai

## Status of a seat that an address has

seat-status-pending = menunggu akaun
seat-status-enrolled = didaftarkan
seat-status-ended = tamat

## Status of a voucher's use

use-status-held = menunggu pembayaran
use-status-used = digunakan
use-status-released = dilepaskan
use-status-late = lewat dibayar

## Status of an event's delivery to an endpoint

delivery-status-waiting = menunggu
delivery-status-delivered = dihantar
delivery-status-given-up = dihentikan

## What a row of a batch does

action-enroll = daftar
action-unenroll = nyahdaftar

## What a voucher takes off

voucher-kind-percent = peratus
voucher-kind-amount = amaun
voucher-kind-seat = tempat

## Movements of money, in reports

movement-captured = pembayaran
movement-refunded = bayaran balik
movement-refund-failed = bayaran balik yang gagal
movement-chargeback = caj balik
movement-chargeback-reversed = caj balik dibatalkan
movement-moved = pemindahan
movement-fee = yuran
movement-payout = bayaran ke bank

## Documents

document-kind-invoice = invois
document-kind-credit-note = nota kredit
document-status-requested = diminta
document-status-issued = dikeluarkan
document-status-refused = ditolak
document-status-cancelled = dibatalkan

## Mails to buyers and learners; also in sentences

mail-kind-receipt = resit
mail-kind-invoice = invois
mail-kind-invoice-cancelled = invois dibatalkan
mail-kind-invoice-corrected = invois yang dibetulkan
mail-kind-access-moved = pemindahan
mail-kind-transfer-requested = cara membayar
mail-kind-document-again = pautan dokumen
mail-kind-document-follows = dokumen yang dihantar kemudian
mail-kind-refund-issued = bayaran balik
mail-kind-registration-invitation = jemputan
mail-kind-seats-ready = tempat sudah sedia
mail-kind-seat-assigned = tempat diberikan
mail-kind-withdrawal-received = penarikan diri diterima
mail-kind-withdrawal-refused = penarikan diri ditolak

## What of an order the text of a search was

found-by-order = pesanan
found-by-payment = pembayaran
found-by-refund = bayaran balik
found-by-dispute = pertikaian
found-by-document = dokumen
found-by-reference = nombor pesanan pembeli
found-by-transfer = rujukan bank
found-by-course = kursus
found-by-address = alamat
found-by-name = nama
found-by-company = syarikat
found-by-tax-id = nombor cukai

## Roles of the staff

role-support = sokongan
role-finance = kewangan
role-manager = pengurus

### The start page: what needs a person, and figures

start-title = Laman utama
start-heading = Perlu tindakan
start-nothing = Tiada apa-apa yang menunggu anda.
start-decide = Buat keputusan…
start-decide-text = Jika diproses semula, mesej ini melakukan apa yang tidak dapat dilakukannya sebelum ini. Jika dibuang, mesej ini hilang selama-lamanya, dan apa yang sepatutnya dilakukannya tidak berlaku.
start-process-again = Proses semula
start-drop = Buang selama-lamanya
start-mail-again = Hantar semula e-mel
start-open-withdrawal = Buka penarikan diri
start-open-invoice = Buka permintaan invois
start-open-events = Buka peristiwa
start-open-order = Buka pesanan
start-open-person = Buka halaman orang ini
start-today = Hari ini
start-paid = Dibayar
start-orders = { $n } pesanan
start-no-money = Tiada pergerakan wang sejak tengah malam.
owed-title = Belum dibayar
owed-text = Pesanan yang pindahan atau invoisnya belum dibayar, yang paling lama genap tempoh dahulu.
owed-open = Belum diterima
owed-overdue = Lewat bayar
owed-how = Pembayaran
owed-on-account = secara kredit
owed-none = Tiada yang belum dibayar.
owed-pending-text = Pembayaran yang masih diproses oleh penyedia, seperti debit terus, pesanan paling lama dahulu.
owed-until = Pesanan hingga akhir { $month }.
owed-all = Tunjukkan semua
owed-placed = Dipesan pada
owed-at-provider = di penyedia

## The chart of orders by day

start-chart = { $up } dibayar dan { $down } berakhir tanpa bayaran dalam 30 hari lepas; paling banyak { $most } sehari
start-chart-day = { $day }: { $up } dibayar, { $down } berakhir tanpa bayaran
start-chart-up = { $n } dibayar
start-chart-down = { $n } berakhir tanpa bayaran

## Tags: what waits for a person

waiting-kind-payment = pembayaran
waiting-kind-notification = pemberitahuan
waiting-kind-access = akses
waiting-kind-enrollment = pendaftaran kursus
waiting-kind-refund = bayaran balik
waiting-kind-refund-to-pay = bayaran balik
waiting-kind-overdue = lewat bayar
waiting-kind-invoice = invois
waiting-kind-document = dokumen
waiting-kind-withdrawal = penarikan diri
waiting-kind-mail = e-mel
waiting-kind-endpoint = titik akhir
waiting-kind-dead-letter = mesej

## What waits for a person, and what to do about it

waiting-payment = Pembayaran ini memerlukan keputusan. Baca sebabnya, ambil tindakan, kemudian tutup amaran.
waiting-notification = Pemberitahuan penyedia bercanggah dengan rekod. Bandingkan dengan papan pemuka penyedia.
waiting-access = Pesanan ini sudah dibayar, tetapi kursusnya belum dibuka.
waiting-enrollment = Platform kursus telah menolak pendaftaran. Selesaikan puncanya di sana, kemudian cuba semula di sini.
waiting-refund = Penyedia belum menjawab tentang bayaran balik. Ia akan ditanya semula secara automatik.
waiting-refund-to-pay = Bayar bayaran balik melalui bank anda. Kemudian laporkan bahawa wang telah sampai, atau telah dikembalikan.
waiting-overdue = Wang sudah sampai tarikh akhirnya dan belum diterima. Ingatkan pembeli, rekod apa yang telah tiba, atau batalkan pesanan.
waiting-invoice = Sokongan meminta invois yang dibetulkan, dan cukainya dibayar balik. Sahkan atau tolak.
waiting-document = Sistem lain belum mengeluarkan dokumen selama sehari. Tanya di sana, atau laporkan apa yang dinyatakannya.
waiting-withdrawal = Seorang pembeli telah menarik diri. Luluskan, bayar balik sebahagian, atau tolak dengan sebab; bayaran balik perlu dibuat dalam masa 14 hari selepas pengisytiharan.
waiting-mail = E-mel ini tidak sampai. Betulkan alamatnya, atau hantar semula.
waiting-endpoint = Peristiwa tidak lagi dihantar ke alamat ini. Baiki penerimanya, kemudian dayakan semula.
waiting-dead-letter = Satu mesej tidak dapat diproses. Selesaikan puncanya, kemudian proses semula; buang hanya jika tiada apa-apa yang patut berlaku.

### Where do you work: for a person on the staff of several shops

choose-title = Di manakah anda bekerja hari ini?
choose-hello = Helo { $name }. Anda kakitangan organisasi berikut.

### What a search has found

search-results = Hasil carian untuk “{ $text }”
search-short = Taip sekurang-kurangnya 2 aksara: alamat, sebahagian nama atau syarikat pada invois, nombor cukainya, pesanan, nombor dokumen, nombor pesanan pembeli sendiri, rujukan pindahan, bank anda atau penyedia, kod baucar, atau nama atau kunci kursus.
search-none = Tiada apa-apa di { $organisation } yang sepadan. Cuba alamat penuh, atau sekurang-kurangnya tiga huruf nama atau syarikat pada invois. Pesanan kedai lain tidak ditunjukkan di sini.
search-voucher = baucar
search-course = kursus
search-found-by = Ditemui melalui
search-more = Ada lagi hasil selain ini. Tambah perkataan untuk mengecilkan carian.

### An order

order-title = Pesanan { $email }
order-placed = dipesan pada { $date }
order-former-shop = Dijual oleh { $shop } sebelum dipindahkan ke sini: rekod tanpa tindakan. Bayaran balik dan resit diminta di sana.
order-former-shop-account = Dijual oleh { $shop } sebelum dipindahkan ke sini. Ia dibayar melalui akaun { $provider } yang digunakan di sini, jadi boleh dibayar balik di sini. Resit diminta di sana.
order-alert = Pembayaran ini memerlukan keputusan
order-alert-done = Tindakan yang telah diambil
order-alert-close = Tutup amaran
order-bought = Pembelian
order-lines = Item
order-line = Item
order-access = Akses
order-seats = { $n } tempat
order-gift = Hadiah
order-gift-given = Diberikan pada { $date }
order-gift-planned = Untuk { $date }
order-is-moving = sedang dipindahkan ke { $course }
order-is-moving-to-person = sedang dipindahkan kepada orang lain
order-moved = dipindahkan ke { $course }
order-moved-to-person = dipindahkan kepada orang lain
order-total-with-voucher = Jumlah dengan { $code }

## Refund

order-refund = Bayar balik…
order-refund-text = Tandakan item di atas untuk membayarnya balik dan menamatkan aksesnya; jangan tandakan apa-apa untuk membayar balik seluruh pesanan. Halaman seterusnya menunjukkan apa yang akan berlaku sebelum apa-apa dilakukan.
order-refund-amount = Amaun, jika kurang
order-refund-all-left = semua bakinya
order-refund-keep = Ihsan: bayar balik amaun ini tanpa menamatkan sebarang akses

## Move

order-move = Pindahkan…
order-move-text = Item ini memberi akses kepada kursus lain, atau memberikan aksesnya kepada orang lain. Tiada wang berpindah, dan invois kekal. Halaman seterusnya menunjukkan apa yang akan berlaku.
order-move-course = Ke kursus
order-move-person = Kepada orang dengan alamat

## Access: what the course platform says about it

order-withdrawals = Penarikan diri
order-platform-agrees = disahkan oleh platform kursus
order-platform-refused = ditolak oleh platform kursus
order-platform-waits = platform kursus menunggu orang ini mendaftar akaun
order-platform-not-yet = belum disahkan oleh platform kursus
order-access-ended = tamat pada { $date }:

## Money, mails and documents

order-money-back = Bayaran balik dan pertikaian
order-refund-to-pay = Bayar balik melalui bank anda, kemudian laporkan hasilnya.
order-refund-arrived = Wang telah sampai
order-refund-back = Wang telah dikembalikan
order-dispute = { $amount } dipertikaikan di bank
order-payment = Pembayaran
order-transfer = Pindahan bank
order-transfer-reference = Rujukan pembayaran
order-transfer-due = Tarikh akhir
order-transfer-open = Masih perlu dibayar
order-payment-book = Rekod pembayaran …
order-payment-text = Rekodkan apa yang ditunjukkan oleh bank anda. Apabila kesemua { $amount } telah diterima, kursus dibuka dan pembeli menerima resit.
order-payment-day = Hari di bank
order-payment-reference = Rujukan bank
order-payment-submit = Rekod pembayaran ini
order-payment-is-back = dibayar balik
order-payment-return-text = Bayar balik { $amount } melalui bank anda dahulu. Selepas itu jumlah ini tidak dikira lagi.
order-payment-return = Telah dibayar balik
order-payment-end = Tamatkan pesanan …
order-payment-end-text = Tiada wang diterima untuknya. Baucar dan tempatnya menjadi kosong untuk orang lain. Pindahan yang masih tiba akan diterima, dengan amaran.
order-payment-end-submit = Tamatkan pesanan ini
order-document-report = Laporkan keputusannya …
order-document-text = Laporkan apa yang dinyatakan oleh sistem lain.
order-document-number = Nombor
order-document-day = Tarikh pada dokumen
order-document-total = Jumlah
order-document-authority = Sistem pihak berkuasa
order-document-qr = Kandungan kod QR
order-document-issued = Ia dikeluarkan
order-document-refused = Ia ditolak
order-document-cancel = { $number } dibatalkan …
order-document-cancel-text = Hanya jika ia dibatalkan di tempat ia dikeluarkan. Pesanan itu tiada dokumen tersebut sehingga ia diminta semula.
order-document-cancelled = Ia dibatalkan
order-document-anew = Minta semula
order-invoice-on-account = Secara kredit: invois dikeluarkan sebelum pembayaran.
order-invoice-overdue = Lewat bayar
order-invoice-cancel = Batalkan invois …
order-invoice-cancel-text = Tiada wang diterima untuknya. Nota kredit membatalkan invois, dan akses tamat. Bayar balik pindahan yang masih tiba.
order-invoice-cancel-submit = Batalkan invois ini
order-reverse-charge-applied = Caj berbalik: VIES mengesahkan nombor VAT, dengan nombor rujukan semakan { $number }.
order-reverse-charge-invalid = Cukai dikenakan: VIES tidak mengenali nombor VAT itu.
order-reverse-charge-unavailable = Cukai dikenakan: VIES tidak menjawab sama ada nombor VAT itu sah.
order-provider = Penyedia
order-reference = Rujukan
order-at-bank-since = Diproses oleh bank sejak
order-disputed = Dipertikaikan pada
order-mails = E-mel dan dokumen
order-mail = { $mail } kepada { $email }
order-mail-failed = gagal
order-mail-waits = menunggu
order-mail-sent = dihantar
order-mail-deferred = ditangguhkan oleh pelayan
order-mail-delivered = diserahkan
order-mail-again = Hantar semula
order-no-mails = Tiada apa-apa yang menunggu. E-mel yang telah dihantar ada dalam sejarah.
order-receipt-again = Hantar semula resit kepada { $email }
order-invoice-again = Hantar semula invois kepada { $email }
order-invoice-correct = Betulkan invois …
order-invoice-asked = Kewangan diminta mengeluarkan invois yang dibetulkan
order-invite-again = Hantar semula jemputan kepada { $email }
order-correct-address = Betulkan alamat…
order-correct-address-text = Untuk tetamu yang tersalah taip alamatnya. Apa yang menunggu { $email } berpindah ke alamat baharu, yang dijemput mendaftar jika tiada akaun. Invois kekal seperti sedia ada.
order-right-address = Alamat yang betul
order-correct-address-submit = Pindahkan pesanan ke alamat ini

## The history: each entry is a sentence, and who did it

order-history = Sejarah
order-by = oleh { $name }
timeline-by-system = sistem
timeline-by-client = kedai
timeline-by-guest = pembeli, sebagai tetamu
timeline-by-learner = pembeli, selepas log masuk
timeline-by-provider = penyedia pembayaran
timeline-by-staff = kakitangan (akaun { $id })
timeline-by-operator = { $name } (operator)
timeline-by-key = kunci organisasi { $id }

timeline-cart-open = Bakul telah dimulakan.
timeline-cart-placed = Pesanan telah dibuat.
timeline-cart-pending-payment = Pesanan telah dibuat, dan menunggu pembayarannya.
timeline-cart-held = Pesanan telah dibuat; kursusnya dibuka sebaik sahaja alamat itu mendaftar akaun.
timeline-cart-paid = Pesanan telah dibayar.
timeline-cart-fulfilled = Pesanan selesai: akses telah diberikan.
timeline-cart-cancelled = Pesanan telah dibatalkan.
timeline-cart-expired = Pesanan tamat tempoh tanpa bayaran.
timeline-cart-refunded = Pesanan tamat: semua wangnya telah dipulangkan.
timeline-cart-invoice-corrected = Pembeli pada invois telah dibetulkan.
timeline-cart-document-issued = Satu dokumen dilaporkan sebagai dikeluarkan.
timeline-cart-document-refused = Satu dokumen ditolak.
timeline-cart-document-cancelled = Satu dokumen dibatalkan di tempat ia dikeluarkan.
timeline-cart-document-replaced = Dokumen yang ditolak atau dibatalkan telah diminta semula.
timeline-cart-invoice-asked = Kewangan telah diminta mengeluarkan invois yang dibetulkan.
timeline-cart-invoice-refused = Kewangan telah menolak invois yang dibetulkan.
timeline-cart-invoice-paid = Invois telah dibayar.
timeline-cart-restored = Akses telah dipulihkan.
timeline-cart-access-blocked = Akses menunggu tindakan seseorang.
timeline-cart-access-restored = Akses yang menjadi asas pesanan ini telah kembali, maka ia diberikan.
timeline-cart-mail-sent = E-mel “{ $mail }” telah dihantar.
timeline-cart-mail-again = E-mel “{ $mail }” telah dihantar semula.
timeline-cart-move-asked = Pemindahan dari { $from } ke { $to } telah diminta.
timeline-cart-move-withdrawn = Pemindahan ke { $to } telah ditarik balik.
timeline-cart-moved = Akses telah berpindah dari { $from } ke { $to }.
timeline-cart-moved-to-person = Akses kepada { $to } telah berpindah kepada orang lain.
timeline-cart-address-corrected = Alamat pembeli telah dibetulkan.
timeline-alert-closed = Amaran telah ditutup: { $alert }.
timeline-transaction-created = Pembayaran telah disediakan.
timeline-transaction-processing = Pembayaran telah dimulakan di penyedia.
timeline-transaction-succeeded = Pembayaran telah diterima.
timeline-transaction-failed = Pembayaran gagal.
timeline-transaction-cancelled = Pembayaran telah dibatalkan.
timeline-transaction-superseded = Percubaan lain telah menggantikan pembayaran ini.
timeline-transaction-refunded = Pembayaran telah dibayar balik sepenuhnya.
timeline-transaction-partly-refunded = Daripada bayaran itu, { $refunded } kini telah dibayar balik.
timeline-transaction-lost = Daripada bayaran itu, { $lost } telah diambil balik oleh bank.
timeline-transaction-held = Satu pertikaian menahan { $lost } daripada bayaran itu.
timeline-transaction-refunded-and-lost = Daripada bayaran itu, { $refunded } telah dibayar balik dan { $lost } diambil balik oleh bank.
timeline-transaction-nothing-back = Tiada lagi bahagian bayaran yang dibayar balik atau diambil balik.
timeline-transaction-charged = Penyedia mengenakan jumlah yang berbeza daripada jumlah pesanan.
timeline-transaction-received = { $amount } telah diterima di bank.
timeline-transaction-returned = { $amount } telah dibayar balik melalui bank.
timeline-transaction-event-applied = Pemberitahuan yang bercanggah dengan rekod telah digunakan.
timeline-refund-asked = Bayaran balik telah diminta.
timeline-refund-accepted = Penyedia telah menerima bayaran balik.
timeline-refund-succeeded = Bayaran balik telah selesai.
timeline-refund-failed = Bayaran balik gagal.
timeline-withdrawal-objected = Pemegang alamat pesanan menyatakan bahawa penarikan diri itu bukan daripadanya.
timeline-withdrawal-received = Penarikan diri telah diisytiharkan.
timeline-withdrawal-unmatched = Penarikan diri telah diisytiharkan dengan alamat lain.
timeline-withdrawal-accepted = Penarikan diri telah diluluskan.
timeline-withdrawal-refused = Penarikan diri telah ditolak.
timeline-the-course = Kursus
timeline-enrollment-enrolled = { $course }: akses diberikan.
timeline-enrollment-pending-registration = { $course }: menunggu alamat itu mendaftar akaun.
timeline-enrollment-removed = { $course }: akses tamat.
timeline-enrollment-synced = { $course }: disahkan oleh platform kursus.
timeline-enrollment-refused = { $course }: ditolak oleh platform kursus.
timeline-enrollment-retried = { $course }: pendaftaran dicuba semula.
timeline-notification = Penyedia melaporkan { $what }.
timeline-dispute-open = Bank pembeli telah membuka pertikaian, yang kini masih terbuka.
timeline-dispute-won = Bank pembeli telah membuka pertikaian, yang kini dimenangi.
timeline-dispute-lost = Bank pembeli telah membuka pertikaian, yang kini kalah.
timeline-became = { $what }: { $from } menjadi { $to }.
timeline-other = { $what }: { $to }.

### A withdrawal of an order: on the order's page, and on a page of its own

decide-declared = diisytiharkan pada { $date } oleh { $email }
decide-no-proof = tanpa bukti
decide-lines = { $n } item
decide-no-line = tiada item
decide-decided = diputuskan pada { $date }
decide-waits = menunggu keputusan:
decide-judged = dinilai secara automatik, seterusnya pada { $date }
decide-objected = Pada { $date }, pemegang alamat pesanan menyatakan bahawa penarikan diri ini bukan daripadanya.
decide-accept = Luluskan…
decide-accept-text = Semua baki item yang diisytiharkan dibayar balik kepada pembeli, dan aksesnya tamat. Pembeli menerima e-mel.
decide-reason-optional = Sebab, yang dilihat oleh pembeli; boleh dibiarkan kosong
decide-accept-submit = Bayar balik semua baki dan tamatkan akses
decide-part = Bayar balik sebahagian…
decide-part-text = Untuk perkhidmatan yang telah bermula: amaun ini dibayar balik kepada pembeli, dan akses kepada item yang diisytiharkan tamat. Pembeli menerima e-mel.
decide-part-submit = Bayar balik amaun ini dan tamatkan akses
decide-refuse = Tolak…
decide-refuse-text = Tiada apa-apa dibayar balik, dan akses kekal. Pembeli menerima e-mel dengan sebab anda, dan boleh mengisytiharkan item itu sekali lagi.
decide-refuse-submit = Tolak penarikan diri
decide-close = Tutup…
decide-close-text = Tiada e-mel dihantar: orang yang mengisytiharkannya mungkin orang yang tidak dikenali. Jika anda telah menemui pesanan yang dimaksudkan, bayar balik di sana dahulu.
decide-close-submit = Tutup penarikan diri

## The page of its own

withdrawal-title = Penarikan diri { $name }
withdrawal-heading = Penarikan diri
withdrawal-declared-what = Apa yang diisytiharkan
withdrawal-order-named = Pesanan, seperti yang dinyatakan
withdrawal-name = Nama
withdrawal-declared = Diisytiharkan pada
withdrawal-decision = Keputusan

### Before a refund

refund-title = Bayar balik?
refund-heading = Bayar balik pesanan ini?
refund-order = Pesanan { $email }, { $total }, daripadanya { $refunded } telah dibayar balik sebelum ini.
refund-amount = { $amount } dikembalikan kepada pembeli melalui { $provider }.
refund-all = Semua baki daripada { $total } dikembalikan kepada pembeli melalui { $provider }.
refund-lines = Semua baki item yang ditandakan, iaitu { $amount }, dikembalikan kepada pembeli melalui { $provider }.
refund-lines-with-tax = Semua baki item yang ditandakan, iaitu { $amount } berserta cukai yang dikenakan di atasnya, jika ada, dikembalikan kepada pembeli melalui { $provider }.
refund-access-stays = Semua akses kekal.
refund-access-ends = Akses kepada { $item } tamat sebaik sahaja penyedia menerima bayaran balik, kecuali jika pelajar telah memperoleh sijil.
refund-own = Organisasi anda membayar wang itu melalui banknya, kemudian melaporkan di sini bahawa wang telah sampai.
refund-access-ends-now = Akses kepada { $item } tamat serta-merta, melainkan pelajar telah memperoleh sijil.
refund-mail = { $email } menerima e-mel tentang bayaran balik.
refund-no-mail = Pembeli tidak menerima e-mel dari sini kerana kedai lain yang menjual pesanan itu.
refund-mail-with-credit-note = { $email } menerima e-mel tentang bayaran balik berserta nota kredit.
refund-needs-amount = Bayaran ihsan memerlukan amaun. Kembali dan masukkan amaunnya.
refund-reason = Sebab, yang turut dilihat oleh pembeli
refund-despite-dispute = Bayar balik walaupun bank mempunyai pertikaian yang masih terbuka, dan mungkin memberikan wang yang sama kepada pembeli
refund-taken = Pertikaian telah mengambil { $lost }: jumlah itu tidak dapat dibayar balik.
refund-back = Kembali, jangan bayar balik
refund-submit-all = Bayar balik semua baki dan tamatkan akses
refund-submit = Bayar balik { $amount } dan tamatkan akses
refund-submit-keep = Bayar balik { $amount }

### A correction of the buyer on an invoice

invoice-title = Betulkan invois
invoice-buyer = Pembeli pada invois
invoice-asked = Sokongan meminta pembeli ini pada { $date }. Cukainya dikembalikan kepada pembeli.
invoice-happens = Nota kredit menarik balik invois, dan invois baharu menamakan pembeli ini.
invoice-mail = { $email } menerima invois baharu melalui e-mel.
invoice-tax = Jika ia syarikat dari negara anggota EU yang lain dan VIES mengesahkan nombor VATnya, cukai dibayar balik.
invoice-tax-asked = Jika ia syarikat dari negara anggota EU yang lain dan VIES mengesahkan nombor VATnya, cukai perlu dibayar balik: kewangan akan ditanya, dan membetulkan invois.
invoice-back = Kembali, jangan betulkan apa-apa
invoice-submit = Betulkan invois dan hantar
invoice-refuse = Tolak permintaan sokongan
buyer-company = Syarikat
buyer-tax-id = Nombor cukai
buyer-name = Nama
buyer-line1 = Jalan
buyer-line2 = Alamat tambahan
buyer-postal-code = Poskod
buyer-city = Bandar
buyer-state = Negeri
buyer-country = Negara, dua huruf

### Before a move

move-title = Pindahkan?
move-heading = Pindahkan item ini?
move-line-number = item { $position }
runs-heading = Ke mana { $name } berpindah?
runs-line = { $name }, { $mode }, dibeli dengan harga { $price }.
runs-choose = Pindah ke { $name } …
runs-same-course = sesi lain
runs-none = Tiada kursus lain dijual dalam mod ini, atau pembeli sudah memilikinya.
runs-person = Atau kepada orang lain
move-is-moving = Item ini sedang dipindahkan ke { $course }.
move-is-moving-to-person = Item ini sedang dipindahkan ke { $course }, kepada orang lain.
move-was-moved = Item ini telah dipindahkan ke { $course }.
move-was-moved-to-person = Item ini telah dipindahkan ke { $course }, kepada orang lain.
move-access-now = Siapa yang kini mempunyai akses melalui pesanan ini:
move-to-course = Item ini akan memberikan akses kepada { $course } sebagai ganti.
move-other-price = Harganya { $price }, dan item ini { $paid }: tandakan di bawah bahawa tiada apa-apa dikenakan atau dibayar balik.
move-to-person = Item ini akan memberikan aksesnya kepada { $email }, yang dijemput mendaftar jika tiada akaun dengan alamat ini.
move-old-access = Akses sekarang kekal sehingga platform kursus mengesahkan akses baharu, kemudian tamat. Jika platform menolak, akses itu kekal, dan penolakan ditunjukkan dalam senarai “Perlu tindakan”.
move-earlier = Pemindahan item ini yang telah ditolak oleh platform, atau yang alamatnya belum mendaftar akaun, akan ditarik balik.
move-money = Tiada wang bergerak. Invois kekal seperti sedia ada; bayaran balik item ini kemudian akan menamatkan akses baharu.
move-certificate = Jika orang yang kini mempunyai akses telah memperoleh sijil, tiada apa-apa berlaku.
move-mail = { $email } menerima e-mel sebaik sahaja pemindahan selesai.
move-reason = Sebab, untuk rekod
move-waive = Pindahkan walaupun harga berbeza; tiada apa-apa dicaj atau dibayar balik
move-back = Kembali, jangan pindahkan
move-submit = Pindahkan { $name } ke { $to }

### A person: an address with its orders, courses and seats

person-download = Muat turun data orang ini yang disimpan oleh { $organisation }
person-download-help = Sebagai JSON, untuk orang yang memintanya.
person-no-orders = Tiada pesanan dengan alamat ini di { $organisation }. Orang ini mungkin membeli dengan alamat lain: cari nama pada invois.
person-no-courses = Tiada kursus { $organisation } dibuka untuk alamat ini.
person-seats = Tempat yang diurus atau dimiliki oleh alamat ini
person-seats-taken = { $used } daripada { $seats } diambil
person-seats-bought = dibeli pada { $date }

### Payouts

payouts-title = Bayaran ke bank
payouts-text = Apa yang dibayar oleh penyedia ke bank anda, dan kandungan setiap bayaran. Data dibaca setiap jam.
payouts-refused = { $gateway } tidak menunjukkan bayaran ke bank kepada kunci akaun anda. Hubungi pengendali perkhidmatan ini.
payouts-unread = Bayaran ke bank oleh { $gateway } belum dibaca.
payouts-made = Dibuat pada
payouts-bank = Di bank
payouts-payments = Pembayaran
payouts-refunds = Bayaran balik
payouts-disputes = Pertikaian
payouts-fees = Yuran
payouts-rest = Lain-lain
payouts-difference = beza
payouts-not-read = Kandungannya belum dibaca.
payouts-not-itemised = Penyedia tidak menyatakan kandungannya.
payouts-none = Tiada bayaran ke bank dalam tempoh ini. Pilih tempoh lain.
payouts-csv = Muat turun bayaran ke bank sebagai CSV
payouts-xlsx = Bayaran ke bank sebagai XLSX
payouts-movements = Pergerakan dalam bayaran ke bank
payouts-movements-csv = Pergerakan sebagai CSV
payouts-movements-xlsx = Pergerakan sebagai XLSX
payout-status-pending = belum selesai
payout-status-paid = dibayar
payout-status-failed = gagal

### The month that finance closes

# A link at the top of each page, and the page on which finance closes a month
month-title = Tutup bulan
month-month = Bulan
month-text = Wang dikira pada hari yang dinyatakan oleh bank atau penyedia.
month-closed = ditutup
month-closed-by = Ditutup pada { $date } oleh { $name }.
month-closed-with = Ia ditutup bersama { $month }.
month-open = Bulan ini sudah tamat dan belum ditutup.
month-not-over = Bulan ini boleh ditutup selepas { $day }.
month-provider = Penyedia
# In place of a provider: transfers that you take yourself
month-own-account = akaun anda sendiri
# Headings: money that is with the provider before and after the month
month-opening = Di penyedia sebelum ini
month-paid-out = Dibayar ke bank
month-closing = Masih di penyedia
month-no-opening = Jumlah di penyedia sebelum ini tidak diketahui, kerana tiada bulan dalam tempoh setahun sebelumnya yang ditutup.
month-adds-up = Jumlahnya sepadan: yang ada sebelum ini dan semua pergerakan ialah yang masih ada, dan bayaran ke bank sepadan.
month-gaps = Ini tidak sepadan:
# Behind an amount: why it does not add up
month-gap-other = pergerakan dalam bayaran ke bank yang tiada dalam buku
month-gap-unknown-payment = pembayaran dalam bayaran ke bank yang bukan pesanan di sini
month-gap-other-currency = dibayar dalam satu mata wang dan dibayar ke bank dalam mata wang lain
month-gap-difference = beza antara bayaran ke bank dan pergerakannya
month-gap-unread = bayaran ke bank yang pergerakannya tidak dibaca dalam bulan ini, maka yurannya tiada
month-gap-closed = beza daripada baki semasa bulan ditutup
# Above amounts
month-unpaid = Belum dibayar sekarang
month-pending = Sedang diproses sekarang
month-documents = Dokumen yang tiada
month-documents-text = Pesanan berbayar tanpa invois dan bayaran balik tanpa nota kredit. Kebanyakannya dikeluarkan dalam beberapa minit; tanya pengendali tentang yang kekal di sini.
month-no-documents = Tiada dokumen yang kurang.
month-late = Wang lewat
month-late-text = Wang yang dikira dalam bulan ini kerana bulannya sendiri sudah ditutup semasa dibukukan.
month-no-late = Tiada yang lewat.
# Below an amount: of how many it is the sum
month-number = Bilangan: { $n }
month-close-text = Setelah ditutup, bulan ini kekal begitu, bersama semua bulan sebelumnya: yang dibukukan kemudian dikira dalam bulan yang terbuka. Ini tidak boleh dibuat asal.
# A button
month-close = Tutup { $month }

### Reports

reports-title = Laporan
reports-from = Dari
reports-to = Hingga (termasuk)
reports-by = Hari yang dikira
reports-by-booked = hari pembukuan
reports-by-received = hari bank atau penyedia
reports-show = Tunjukkan
reports-zone = Hari mengikut zon waktu { $zone }.
# Before tags with what the page shows
reports-only = Hanya:
reports-all = Tunjukkan semua pergerakan
reports-totals = Pergerakan dan cukai
reports-movement = Pergerakan
reports-taxed-in = Dicukai di
reports-rate = Kadar
reports-number = Bilangan
reports-net = Bersih
reports-none = Tiada wang bergerak dalam tempoh ini. Pilih tempoh lain: pembayaran dikira pada hari penyedia melaporkannya.
reports-ledger = Lejar
reports-ledger-first = Lejar: { $n } pergerakan pertama
reports-booked = Dibukukan pada
reports-received = Wang bergerak pada
reports-document = Dokumen
reports-download-csv = Muat turun lejar sebagai CSV
reports-download-json = Sebagai JSON
reports-download-xlsx = Lejar sebagai XLSX
reports-taxes = Cukai
reports-taxes-text = Invois tolak nota kredit, mengikut hari yang ditunjukkan.
reports-taxes-chargeback = Caj balik mengambil semula wang tanpa nota kredit: cukai di sini lebih tinggi daripada cukai pergerakan di atas sebanyak cukai caj balik.
reports-country = Negara
reports-state = Negeri
reports-category = Kategori
reports-documents = Dokumen
reports-taxes-csv = Muat turun cukai sebagai CSV
reports-taxes-json = Cukai sebagai JSON
reports-taxes-days = Cukai mengikut hari
reports-taxes-days-xlsx = Cukai mengikut hari sebagai XLSX
reports-taxes-payments-xlsx = Cukai mengikut hari pembayaran sebagai XLSX
reports-taxes-oss = Perhentian Setempat (OSS)
reports-taxes-oss-xlsx = Perhentian Setempat (OSS) sebagai XLSX
reports-taxes-xlsx = Cukai sebagai XLSX
reports-taxes-none = Tiada invois atau nota kredit dikeluarkan dalam tempoh ini. Organisasi tanpa maklumat penjual tidak mengeluarkannya.

reports-sum = Jumlah
column-seq = Nombor
column-at = Masa
column-day = Dibukukan pada
column-kind = Pergerakan
column-cart_id = Pesanan
column-transaction_id = Bayaran
column-refund_id = Bayaran balik
column-amount = Amaun
column-tax = Cukai
column-currency = Mata wang
column-gateway = Penyedia
column-provider_reference = Rujukan penyedia
column-region = Negara pembeli
column-list_price = Harga senarai
column-discounts = Diskaun
column-voucher_discount = Diskaun baucar
column-voucher = Baucar
column-campaign = Kempen
column-document_number = Dokumen
column-tax_country = Dicukai di
column-tax_state = Negeri cukai
column-tax_rate = Kadar cukai (%)
column-language = Bahasa
column-reference = Rujukan pembeli
column-metadata = Metadata
column-bank_day = Hari bank
column-bank_reference = Rujukan bank
column-tax_id = Nombor cukai
column-reverse_charge = Caj berbalik
column-country = Negara
column-state = Negeri
column-rate = Kadar (%)
column-category = Kategori
column-net = Bersih
column-count = Dokumen
column-payout = Bayaran ke bank
column-status = Status
column-made_on = Dibuat pada
column-payments = Pembayaran
column-refunds = Bayaran balik
column-disputes = Pertikaian
column-fees = Yuran
column-returned = Bayaran yang dikembalikan
column-other = Lain-lain
column-rounding = Pembundaran
column-difference = Beza
column-fee_tax = Cukai dalam yuran
column-movements = Pergerakan
column-itemised = Terperinci
column-movement = Pergerakan di penyedia
column-provider_kind = Jenis di penyedia
column-gross = Tanpa yuran
column-fee = Yuran pergerakan
column-balance = Baki lain
column-date = Hari
column-buyer = Pembeli
column-quarter = Suku tahun
column-number = Bilangan
tax-category-s = standard
tax-category-z = kadar sifar
tax-category-e = dikecualikan
tax-category-ae = caj berbalik
tax-category-o = tidak dicukai

### Vouchers

vouchers-title = Baucar
vouchers-whole-seat = satu tempat penuh
vouchers-none-found = Tiada baucar dengan kod dan kempen ini. Biarkan satu medan kosong untuk melihat lebih banyak.
vouchers-none = { $organisation } belum mempunyai baucar. Cipta yang pertama di bawah.
vouchers-new = Cipta baucar
vouchers-code-help = 3 hingga 40 huruf, digit, - dan _. Kosong: perkhidmatan menjana kod.
vouchers-count = Bilangan kod
vouchers-count-help = Lebih daripada satu hanya tanpa kod anda sendiri.
vouchers-percentage = peratusan
vouchers-amount = amaun
vouchers-how-much = Nilai
vouchers-courses-help = Satu kunci kursus setiap baris, contohnya course-v1:Northwind+ENG101+2026. Kosong: semua yang dijual oleh { $organisation }.
vouchers-new-submit = Cipta baucar

## One voucher

voucher-used = Digunakan pada
voucher-not-used = Belum digunakan.
voucher-terms = Terma
voucher-for = Untuk
voucher-courses = { $n } kursus
voucher-programs = { $n } program
voucher-everything = semua
voucher-change-text = Potongannya, dan apa yang dipotong harganya, kekal seperti yang dijanjikan.
voucher-budget-in = Bajet dalam { $currency }
voucher-until-help = Kosong: tiada tarikh tamat.
voucher-end-text = Selepas ditamatkan, baucar ini tidak lagi memotong harga pesanan baharu. Apa yang telah dibeli dengannya kekal seperti sedia ada.
voucher-end = Tamatkan { $code } sekarang

## Its chart by day

voucher-chart = { $up } digunakan dan { $down } dilepaskan dalam 30 hari lepas; paling banyak { $most } sehari
voucher-chart-day = { $day }: { $up } digunakan, { $down } dilepaskan
voucher-chart-up = { $n } digunakan
voucher-chart-down = { $n } dilepaskan

## The codes of vouchers, to be taken along

codes-title = Kod
codes-heading = { $n } kod
codes-of-campaign = { $n } kod { $campaign }
codes-csv = Muat turun sebagai CSV
codes-copy = Untuk disalin
codes-back = Kembali ke baucar
codes-take = Ambil kod kempen ini

### Seats: places in a course that somebody has bought for others

seats-title = Tempat
seats-pools = Kumpulan tempat
seats-item = Kursus atau program
seats-bought = Dibeli pada
seats-taken = Diambil
seats-none = { $organisation } belum menjual tempat. Pembeli beberapa tempat dalam satu kursus mendapat satu kumpulan tempat, dan memberikannya kepada orang lain.

## One pool of seats

pool-taken = { $used } daripada { $seats } tempat telah diambil
pool-left = tinggal { $n }
pool-code = kod
pool-order = pesanan yang membayarnya
pool-batch = Alamat yang anda hantar
pool-holders = Siapa yang mempunyai tempat
pool-no-holders = Belum ada alamat yang mempunyai tempat. Masukkan alamat, atau sampaikan kodnya.
pool-mail-failed = E-mel tidak sampai:
pool-take-back = Ambil balik tempat…
pool-take-back-pending = Tempat ini kosong semula, dan jemputannya tamat.
pool-take-back-enrolled = { $email } kehilangan akses kepada { $item }. Tempat itu tetap dikira telah digunakan.
pool-take-back-submit = Ambil balik tempat { $email }
pool-give = Berikan tempat kepada alamat
pool-give-help = Satu setiap baris, paling banyak 500. Sesiapa yang mempunyai akaun didaftarkan dan dimaklumkan melalui e-mel; alamat lain menerima jemputan.
pool-give-submit = Berikan tempat
pool-remind = Ingatkan
pool-remind-text = Menghantar e-mel kepada 100 alamat yang paling lama belum mendaftar; setiap satu paling banyak sekali sehari.
pool-remind-submit = Ingatkan mereka yang belum mendaftar

### Batches of enrollments

batches-title = Kelompok
batches-heading = Kelompok pendaftaran kursus
batches-submitted = Dihantar pada
batches-failed = Gagal
batches-none = Kakitangan { $organisation } tidak menghantar sebarang kelompok dalam 90 hari lepas.
batches-new = Daftar atau nyahdaftar banyak alamat
batches-file = Fail CSV
batches-file-help = Lajur email, dan jika baris berbeza, course_id, mode, action dan language. Paling banyak 5,000 baris.
batches-paste = Atau tampal baris
batches-course = Kursus bagi baris yang tidak menyatakannya
batches-mode = Mod bagi baris yang tidak menyatakannya
batches-show = Tunjukkan baris
batches-nothing-yet = Belum ada apa-apa yang dilakukan.

## Before a batch is submitted

rows-title = Hantar?
rows-heading = Hantar { $n } baris?
rows-good = { $n } baris akan diproses satu demi satu. Alamat yang didaftarkan tetapi tiada akaun menerima jemputan.
rows-faulty = { $n } baris tidak dapat dilakukan atas sebab di bawah. Hanya baris itu yang gagal; betulkan dalam fail, atau biarkan.
rows-back = Kembali, jangan hantar
rows-submit = Hantar { $n } baris
rows-some = Baris: { $shown } daripada { $total }, ralat dahulu
rows-fault = Ralat

## One batch

batch-title = Kelompok
batch-all-rows = Semua baris
batch-failed-rows = Baris yang gagal
batch-download-failed = Muat turun baris yang gagal
batch-download-all = Muat turun semua baris
batch-result = Hasil
batch-none-failed = Tiada baris yang gagal.
batch-no-rows = Tiada baris pada halaman ini.

### The catalog: what the shop sells

catalog-title = Katalog
catalog-filter = Nama atau kunci kursus
catalog-intro = Perubahan muncul di kedai dalam beberapa saat. Pesanan yang telah dibuat mengekalkan harganya. Penyegerakan dengan platform kursus mengekalkan apa yang ditetapkan di sini; import boleh menggantikannya.
catalog-not-published = tidak diterbitkan
catalog-in-no-list = tidak disenaraikan
catalog-on-sale = dijual
catalog-no-mode-on-sale = tiada mod dijual
catalog-starts = bermula pada { $date }
catalog-publish = Diterbitkan: kedai menunjukkan dan menjualnya
catalog-hide = Tidak disenaraikan: hanya ditemui oleh mereka yang mempunyai pautannya
catalog-sell = Dijual
catalog-save = Simpan apa yang ditunjukkan oleh kedai
catalog-until = hingga { $date }
catalog-from = dari { $date }
catalog-price = Harga dalam { $currency }
catalog-save-mode = Simpan { $mode }
catalog-dated = Harga bertempoh
catalog-dated-text = Harga terendah yang sah akan dikenakan. Berikan harga atau peratusan. Masa yang dibiarkan kosong bukan had.
catalog-dated-name = Nama, contohnya Tempahan Awal
catalog-dated-percent = Atau diskaun dalam peratus
catalog-dated-add = Tambah harga bertempoh
catalog-waiting-list = Senarai menunggu
catalog-waiting = Menunggu: { $waiting }; ditawarkan tempat: { $offered }; dibeli: { $bought }; luput atau ditolak: { $lapsed }.
catalog-first-email = Alamat e-mel yang seterusnya
catalog-first = Letakkan di hadapan
catalog-dated-remove = Buang { $name }
catalog-no-mode = Kursus ini tiada mod, jadi tiada apa-apa daripadanya dijual. Mod datang daripada platform kursus atau import.
catalog-none-found = Tiada kursus { $organisation } dengan teks ini dalam nama atau kuncinya.
catalog-none = { $organisation } belum mempunyai kursus. Kursus datang daripada platform kursus atau import, yang disediakan oleh operator.

### Events, and the endpoints that receive them

events-title = Peristiwa
events-disabled = dinyahdayakan
events-failing = gagal
events-enabled = didayakan
events-gets = Menerima { $types }.
events-waiting = { $n } peristiwa menunggu.
events-failing-since = Tiada penghantaran yang berjaya sejak { $date }.
events-disabled-on = Dinyahdayakan pada { $date }:
events-enable-text = Baiki penerima dahulu. Selepas didayakan, titik akhir ini menerima semua yang terlepas.
events-enable = Dayakan
events-change = Ubah jenis atau rahsianya, atau buang titik akhir ini
events-types = Peristiwa yang diterima
events-save-types = Simpan jenis
events-secret-text = Rahsia baharu ditunjukkan sekali sahaja, pada halaman seterusnya. Selama sehari, rahsia sekarang turut menandatangani bersamanya.
events-secret = Cipta rahsia baharu
events-remove-text = Selepas dibuang, titik akhir ini tidak lagi menerima peristiwa, dan { $n } peristiwa yang menunggu tidak dihantar. Suapan menyimpan semuanya.
events-remove = Buang { $url }
events-deliveries = Penghantaran ke { $url }
events-event = Peristiwa
events-happened = Berlaku pada
events-attempts = Percubaan
events-last-answer = Jawapan terakhir
events-next = seterusnya pada { $date }
events-failed = Cubaan terakhir bagi { $n } peristiwa gagal.
events-send-failed = Hantar semuanya semula
events-send-again = Hantar semula
events-send-this-again = Hantar semula { $type } bertarikh { $date }
events-none-yet = Belum ada peristiwa untuk titik akhir ini.
events-none = { $organisation } tiada titik akhir untuk peristiwa. Juruteknik anda memberikan alamatnya; peristiwa juga boleh dibaca daripada suapan.
events-new = Hantar peristiwa ke alamat
events-new-text = Halaman seterusnya menunjukkan rahsia yang menandatangani peristiwa, sekali sahaja.
events-new-submit = Hantar peristiwa ke alamat ini

## The page that shows a secret once

secret-title = Rahsia
secret-heading = Rahsia yang menandatangani peristiwa
secret-text = Berikan kepada juruteknik penerima sekarang, melalui saluran yang selamat: rahsia ini tidak dapat ditunjukkan lagi. Jika hilang, cipta yang baharu. Rahsia yang ada pada penerima sekarang turut menandatangani bersamanya selama sehari.
secret-back = Kembali ke peristiwa

### The staff

staff-title = Kakitangan
staff-heading = Kakitangan { $organisation }
staff-person = Orang
staff-roles = Peranan
staff-since = Sejak
staff-remove = Buang
staff-remove-person = Buang { $email } daripada kakitangan
staff-add = Tambah orang, atau ubah peranannya
staff-email = Alamat e-mel akaunnya
staff-support = Sokongan: e-mel, alamat, pendaftaran kursus, amaran
staff-finance = Kewangan: bayaran balik, penarikan diri, laporan
staff-manager = Pengurus: baucar, tempat, kelompok, kakitangan
staff-only-managers = Senarai ini diubah oleh pengurus organisasi anda.

### What the last form did

done-receipt = Mesej sedang dihantar.
done-address = Alamat telah dibetulkan, dan apa yang menunggunya telah dipindahkan. Alamat baharu menerima e-melnya secara automatik: resit, dan jemputan jika tiada akaun.
done-alert = Amaran telah ditutup.
done-invoice = Invois telah dibetulkan. Yang baharu sedang dihantar kepada pembeli.
done-invoice-asked = Kewangan telah ditanya. Invois kekal sehingga itu.
done-invoice-refused = Permintaan ditolak. Invois kekal.
done-invitation = Jemputan sedang dihantar.
done-refund = Bayaran balik sedang diproses. Statusnya ada di bawah.
done-payment = Pembayaran telah direkodkan.
done-refund-arrived = Bayaran balik telah sampai.
done-refund-back = Bayaran balik telah dikembalikan. Wang itu dikira milik anda semula.
done-payment-returned = Pembayaran itu tidak dikira lagi.
done-payment-cancelled = Pesanan telah tamat.
done-document = Laporan telah direkodkan.
done-move = Pemindahan sedang diproses. Akses lama tamat sebaik sahaja platform kursus mengesahkan akses baharu.
done-mails = E-mel sedang dihantar.
done-enrollments = Platform kursus diminta sekali lagi.
done-withdrawal = Penarikan diri telah diputuskan.
done-dead-letters = Mesej telah diuruskan. Jika gagal lagi, mesej itu kembali ke senarai ini.
done-staff = Kakitangan telah diubah.
done-vouchers = { $n } baucar sudah sedia.
done-voucher = Baucar telah diubah.
done-assigned = Alamat telah disimpan, dan menerima tempat satu demi satu.
done-freed = Tempat ini kosong semula.
done-revoked = Akses telah tamat. Tempat itu tetap dikira telah digunakan.
done-no-seat = Alamat ini tidak lagi mempunyai tempat. Tiada apa-apa dilakukan.
done-reminded = Mereka yang belum mendaftar, dan tidak menerima e-mel dalam tempoh sehari, telah diingatkan.
done-none-reminded = Tiada alamat yang diingatkan: setiap satu telah mendaftar, atau menerima e-mel dalam tempoh sehari.
done-batch = Baris telah disimpan, dan diproses satu demi satu.
done-catalog = Kursus telah diubah. Kedai menunjukkannya dalam beberapa saat.
done-endpoints = Titik akhir telah didayakan. Ia menerima peristiwa yang terlepas.
done-endpoint-changed = Titik akhir telah diubah. Jika anda belum melihat rahsianya, cipta yang baharu.
done-deliveries = Peristiwa sedang dihantar semula.
done-deliveries-failed = Semua peristiwa yang gagal sedang dihantar semula.
done-month = Bulan ini ditutup.

### What went wrong: a title, and the next step

problem-signed-out = Anda telah log keluar
problem-signed-out-text = Log masuk dalam tab lain pelayar ini, kemudian kembali ke sini. Belum ada apa-apa yang dilakukan.
problem-sign-in = Log masuk
problem-not-allowed = Anda tidak dibenarkan melakukan ini
problem-not-allowed-text = Minta peranan itu daripada pengurus organisasi anda, atau kembali.
problem-not-found = Tidak ditemui
problem-not-found-text = Semak pautan, atau cari semula.
problem-file = Ini tidak berjaya
problem-file-text = Tiada apa-apa dilakukan. Kembali dan hantar fail yang lebih kecil, sebagai CSV.
problem-sent-before = Borang ini telah dihantar sebelum ini
problem-sent-before-text = Ketika itu ia dihantar dengan medan lain. Lihat dahulu apa yang telah dilakukan; menghantar semula borang dari sini akan melakukannya sekali lagi.
problem-invalid = Ini tidak berjaya
problem-invalid-text = Betulkan apa yang dinyatakan di bawah dan hantar semula, atau kembali.
problem-running = Tindakan ini sedang berjalan
problem-running-text = Tunggu sebentar, kemudian semak semula sebelum anda mengulangi apa-apa.
problem-contradiction = Ini bercanggah dengan rekod
problem-contradiction-text = Tiada apa-apa diubah. Bandingkan dengan apa yang dinyatakan oleh sistem lain.
problem-no-answer = Belum ada jawapan
problem-no-answer-text = Ia mungkin masih akan berlaku. Semak semula; menghantar semula borang ini tidak melakukan apa-apa dua kali.
problem-too-many = Terlalu banyak permintaan
problem-too-many-text = Tunggu sebentar, kemudian hantar semula.
problem-unavailable = Ini tidak berfungsi sekarang
problem-unavailable-text = Tiada apa-apa dilakukan. Cuba lagi sebentar nanti; menghantar semula borang ini tidak melakukan apa-apa dua kali.
problem-send-again = Hantar semula borang ini
problem-start = Ke laman utama
problem-email = Alamat e-mel

## Faults of a form: what is wrong with { $field }

problem-fault = { $field }: { $fault }.
fault-order = Pesanan
fault-address = Alamat
fault-reason = Sebab
fault-amount = Amaun
fault-reference = Rujukan
fault-day = Hari
fault-enrollment = Pendaftaran kursus
fault-mail = E-mel
fault-message = Mesej
fault-endpoint = Titik akhir
fault-event = Peristiwa
fault-line = Item
fault-course = Kursus
fault-waive = Kotak “walaupun harga berbeza”
fault-file = Fail

## Refusals as sentences. The key of each is what the programs say in English.

refusal-your-account-lacks-the-role-support = Akaun anda tidak mempunyai peranan sokongan.
refusal-your-account-lacks-the-role-finance = Akaun anda tidak mempunyai peranan kewangan.
refusal-your-account-lacks-the-role-manager = Akaun anda tidak mempunyai peranan pengurus.
refusal-is-required-for-the-record = Wajib diisi, untuk rekod: { $field }.
refusal-is-not-an-email-address = Bukan alamat e-mel: { $field }.
refusal-is-not-a-number-such-as-12-50 = “{ $field }” bukan nombor, seperti 12.50.
refusal-is-not-clear-write-1000-for-a-thousand-and-1-00-for-one = “{ $field }” tidak jelas: tulis 1000 untuk seribu, dan 1.00 untuk satu.
refusal-is-the-order-s-address-already = Pesanan sudah mempunyai alamat ini.
refusal-was-bought-by-an-account-whose-owner-changes-the-address-at-the-course-platform = Ia dibeli oleh sebuah akaun: pemiliknya menukar alamat di platform kursus.
refusal-waits-for-its-payment-or-has-ended-only-an-order-that-is-complete-can-be-corrected = Pesanan menunggu pembayaran atau telah tamat. Hanya pesanan yang lengkap boleh dibetulkan.
refusal-has-opened-a-course-under-this-address-already-or-was-upgraded-or-moved = Kursus sudah dibuka di bawah alamat ini, atau pesanan telah dinaik taraf atau dipindahkan.
refusal-has-the-same-order-already = Alamat ini sudah mempunyai pesanan yang sama.
refusal-is-not-a-course-of-the-organisation = Organisasi anda tiada kursus dengan kunci ini.
refusal-is-not-on-sale-in-this-mode-or-the-buyer-has-it-already = Kursus ini tidak dijual dalam mod ini, atau pembeli sudah memilikinya.
refusal-gives-no-access-that-can-be-moved = Item ini tidak memberi akses yang boleh dipindahkan.
refusal-is-what-the-line-gives-already = Item ini sudah memberikannya.
refusal-leads-to-what-this-person-has-already = Orang ini sudah mempunyai kursus ini.
refusal-is-sold-out = Kursus ini telah habis dijual.
refusal-is-being-moved-the-course-platform-has-not-confirmed-it-yet = Item sedang dipindahkan: platform kursus belum mengesahkannya.
refusal-has-no-invoice = Pesanan tiada invois.
refusal-has-refunds-so-its-invoice-stays-as-it-is = Pesanan mempunyai bayaran balik, jadi invoisnya kekal.
refusal-was-corrected-three-times-already = Invois sudah dibetulkan tiga kali.
refusal-changes-the-tax-refund-the-order-and-sell-it-again = Alamat ini mengubah cukai: bayar balik pesanan dan jual semula.
refusal-waits-for-no-other-invoice = Kewangan tidak lagi ditanya tentang pesanan ini.
refusal-has-no-receipt-it-is-not-paid-or-its-courses-are-not-open-yet = Tiada resit: pesanan belum dibayar, atau kursusnya belum dibuka.
refusal-has-no-open-alert = Pembayaran tiada lagi amaran terbuka.
refusal-is-the-last-manager-an-operator-can-change-that = Ini pengurus terakhir; operator boleh mengubahnya.
refusal-is-not-over-yet = Bulan ini belum tamat.
refusal-is-closed-already = Bulan ini sudah ditutup.
refusal-is-not-a-month-such-as-2026-11 = “{ $field }” bukan bulan, seperti 2026-11.
refusal-is-not-of-an-account-that-has-bought-or-enrolled-here-an-operator-can-add-it = Tiada akaun dengan alamat ini yang membeli atau mendaftar di sini; operator boleh menambahnya.
