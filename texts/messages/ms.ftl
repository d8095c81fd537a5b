# Malay. Address the reader as anda. Malay has one plural form.

### Mails

## Every mail

mail-order = Pesanan { $order }
mail-invoice-attached = Invois { $number } dilampirkan.
mail-credit-note-attached = Nota kredit { $number } dilampirkan.
mail-open-course = Pergi ke kursus anda
mail-begins = Permulaan, juga dalam fail kalendar yang dilampirkan:
mail-begins-at = { $course }: { $moment } ({ $zone })
mail-open-invoice = Lihat invois anda
mail-open-credit-note = Lihat nota kredit anda
mail-create-account = Cipta akaun anda
mail-reason = { $organisation } menghantar mesej ini kepada anda kerana terdapat pesanan atau pendaftaran kursus dengan alamat ini.
mail-contact = Ada soalan? Balas mesej ini atau tulis kepada { $email }.

## Receipt: after an order was paid or was free

receipt-subject = Resit anda daripada { $organisation }
receipt-heading = Terima kasih atas pembelian anda
receipt-bought = Inilah yang anda beli daripada { $organisation } pada { $date }:
receipt-voucher = Baucar { $code } menjimatkan { $amount } untuk anda.
receipt-courses = Kursus anda ada dalam akaun anda. Jika anda belum mempunyai akaun, mesej lain akan menunjukkan cara menciptanya dengan alamat e-mel ini.
receipt-agreed = Pada { $date } anda bersetuju:
receipt-agreed-terms = dengan terma jualan
receipt-agreed-version = dengan terma jualan, versi { $version }
receipt-agreed-begin = bahawa kami bermula sebelum tempoh penarikan diri tamat, seperti yang anda minta dengan nyata
receipt-agreed-service = bahawa anda hilang hak penarikan diri sebaik sahaja perkhidmatan diberikan sepenuhnya
receipt-agreed-content = bahawa dengan itu anda hilang hak penarikan diri

invoice-subject = Invois anda daripada { $organisation }
invoice-heading = Terima kasih atas pesanan anda
invoice-ordered = Inilah yang anda pesan daripada { $organisation } pada { $date }:
invoice-pay = Sila pindahkan { $amount } ke akaun ini selewat-lewatnya pada { $date }. Nyatakan rujukan { $reference }.
cancelled-subject = Invois anda daripada { $organisation } telah dibatalkan
cancelled-heading = Invois anda telah dibatalkan
cancelled-text = Pesanan telah dibatalkan: tiada apa-apa untuk dibayar, dan kursusnya tidak lagi boleh diakses.
transfer-subject = Cara membayar pesanan anda daripada { $organisation }
document-again-subject = Dokumen anda daripada { $organisation }
document-again-heading = Inilah pautan baharu anda
document-again-text = Pautan baharu telah diminta di halaman dokumen ini. Pautan terdahulu tidak perlu disimpan.
document-follows-subject = Dokumen anda daripada { $organisation }
document-follows-heading = Inilah dokumen anda
document-follows-text = Dokumen ini berkaitan dengan pesanan ini. Jika kami pernah menghantar versi terdahulu, dokumen ini menggantikannya.

## An invoice that was corrected

corrected-subject = Invois anda yang dibetulkan daripada { $organisation }
corrected-heading = Invois anda telah dibetulkan
corrected-text = Invois baharu menggantikan invois sebelumnya. Perkara lain tentang pesanan anda tidak berubah.

## A place that has moved to another course or person

moved-subject = Perubahan pada pesanan anda di { $organisation }
moved-heading = Tempat anda telah dipindahkan
moved-to-course = Tempat anda dalam { $from } kini dalam { $to }. Tiada apa-apa dikenakan atau dibayar balik untuk ini.
moved-to-person = Tempat anda dalam { $to } kini milik orang lain, seperti yang diminta. Tiada apa-apa dikenakan atau dibayar balik untuk ini.
access-ends-subject = Akses anda kepada kursus di { $organisation } akan tamat tidak lama lagi
access-ends-heading = Akses anda akan tamat tidak lama lagi
access-ends-text = { $date } ialah hari terakhir akses anda kepada { $course }.
access-ends-again = Jika anda membelinya semula, tempoh baharu bersambung selepas tempoh sekarang.
access-over-subject = Akses anda kepada kursus di { $organisation } telah tamat
access-over-heading = Akses anda telah tamat
access-over-text = { $date } ialah hari terakhir akses anda kepada { $course }.
access-buy-again = Beli semula

## The waiting list of a full course

waiting-confirm-subject = Tempat dalam kursus di { $organisation }: sila sahkan
waiting-confirm-heading = Adakah anda mahu menunggu tempat?
waiting-confirm-text = { $course } sudah penuh. Anda, atau orang lain dengan alamat ini, meminta supaya diberitahu apabila ada tempat kosong. Jika bukan anda, anda tidak perlu berbuat apa-apa: alamat ini akan dilupakan selepas seminggu.
waiting-listed-subject = Anda berada dalam senarai menunggu { $organisation }
waiting-listed-heading = Anda berada dalam senarai menunggu
waiting-listed-text = Apabila ada tempat kosong dalam { $course } dan giliran anda tiba, anda akan menerima e-mel. Tempat itu disimpan untuk anda buat sementara waktu.
waiting-leave-hint = Anda boleh keluar daripada senarai pada bila-bila masa:
waiting-offered-subject = Ada tempat kosong dalam kursus di { $organisation }
waiting-offered-heading = Ada tempat kosong untuk anda
waiting-offered-text = Tempat dalam { $course } disimpan untuk anda sehingga { $date }, pukul { $time } ({ $zone }). Selepas itu, tempat itu diberikan kepada orang seterusnya.
waiting-code = Kod { $code } memberi tempat itu kepada alamat e-mel ini sahaja.

## Refund

refund-subject = Bayaran balik anda daripada { $organisation }
refund-heading = Bayaran balik anda sebanyak { $amount }
refund-lines = { $organisation } telah membayar balik { $amount } daripada pesanan anda:
refund-time = Wang dikembalikan melalui kaedah yang anda gunakan untuk membayar. Ia boleh mengambil masa sehingga sepuluh hari untuk diterima.

## Invitation: to somebody who has courses but no account yet

invitation-subject = Tempat anda di { $organisation }
invitation-heading = Satu tempat telah ditempah untuk anda
invitation-courses = { $organisation } telah menempah tempat untuk anda dalam:
invitation-how = Untuk mula belajar, cipta akaun anda dengan alamat e-mel ini.
invitation-afterwards = Kursus anda akan muncul dalam akaun anda sebaik sahaja akaun itu aktif. Jika anda sudah mempunyai akaun dengan alamat lain, cipta satu dengan alamat ini, atau minta { $organisation } menukarnya.
invitation-unexpected = Jika anda tidak menjangkakan mesej ini, anda boleh mengabaikannya: tiada apa-apa akan berlaku tanpa anda.

## Seats ready: to somebody who bought places for others

seats-subject = Tempat-tempat anda daripada { $organisation }
seats-heading = { $seats } tempat anda sudah sedia
seats-ready = Anda kini boleh memberikan { $seats } tempat dalam { $item } daripada { $organisation }.
seats-manage = Berikan tempat kepada orang lain melalui alamat e-mel mereka, lihat siapa yang mempunyai tempat, dan ambil semula tempat.
seats-open = Urus tempat anda
seats-link = Pautan ini membuka tempat anda selama setahun. Berikan hanya kepada mereka yang boleh menguruskannya.
seats-code = Hantar kod ini kepada orang lain: setiap orang boleh mengambil satu tempat dengan memesan { $item } menggunakannya.
seats-code-too = Atau hantar kod ini kepada orang lain: setiap orang boleh mengambil satu tempat dengan memesan { $item } menggunakannya.

## Seat assigned: to somebody for whom another person has bought a place. { $giver } is that person's address, or the seller

seat-subject = Tempat anda di { $organisation }
seat-heading = Anda mempunyai tempat dalam { $item }
seat-heading-reminder = Tempat anda dalam { $item } masih menunggu anda
seat-given = { $giver } telah memberikan anda tempat dalam { $item }, di { $organisation }.
seat-in-account = Ia ada dalam akaun anda.
seat-afterwards = Kursus anda akan muncul dalam akaun anda sebaik sahaja akaun itu aktif. Jika anda sudah mempunyai akaun dengan alamat lain, minta { $giver } menggunakan alamat itu.
seat-unexpected = Jika anda tidak menjangkakan mesej ini, anda boleh mengabaikannya.
gift-subject = Hadiah untuk anda di { $organisation }
gift-heading = { $giver } menghadiahkan anda { $item }
gift-planned-heading = Hadiah anda sudah sedia
gift-planned = { $recipient } akan menerima tempat itu pada { $date }.
gift-given-now = Ia dalam perjalanan kepada { $recipient }.
gift-change = Sebelum itu anda boleh memberikannya kepada orang lain.

## Withdrawal from the contract

withdrawal-subject = Penarikan diri anda daripada { $organisation }
withdrawal-heading = Penarikan diri anda telah diterima
withdrawal-received = { $organisation } telah menerima penarikan diri anda pada { $date } pukul { $time }:
withdrawal-name = Nama: { $name }
withdrawal-email = E-mel: { $email }
withdrawal-keep = Sila simpan mesej ini: ia mengesahkan perkara yang anda isytiharkan dan bila.
withdrawal-unproved = Belum ada apa-apa yang menunjukkan bahawa anda pembelinya. Penarikan diri dikira dari masa di atas dan dilaksanakan pada { $date }. Jika anda tidak mengisytiharkannya, nyatakan sebelum itu, dan tiada apa-apa berlaku sehingga { $organisation } bertanya kepada anda.
withdrawal-object = Saya tidak mengisytiharkan ini
withdrawal-refused-subject = Penarikan diri anda daripada { $organisation } tidak diterima
withdrawal-refused-heading = Penarikan diri anda tidak diterima
withdrawal-refused = { $organisation } telah meneliti penarikan diri yang anda isytiharkan pada { $date } dan tidak menerimanya:
withdrawal-disagree = Jika anda tidak bersetuju, sila tulis kepada { $organisation }.

### Mails, pages and invoices

item-seats = { $item }, { $seats } tempat
order-tax = Cukai
order-tax-included = termasuk cukai
order-total = Jumlah
# The link of receipts, and the title of the page to which it leads.
withdraw-here = Tarik diri daripada kontrak di sini

# The buttons of mails about a waiting list, and of the page to which they lead.
waiting-confirm = Ya, masukkan saya dalam senarai
waiting-leave = Keluar daripada senarai
waiting-buy = Ambil tempat ini
waiting-decline = Saya tidak mahu

### Pages

## The payment page

page-payment = Pembayaran – { $organisation }
page-your-order = Pesanan anda
page-pay = Bayar { $amount }
page-loading = Memuatkan…
page-moment = Sebentar…
page-back = Kembali ke { $shop }
page-no-script = Pembayaran memerlukan JavaScript, yang dimatikan dalam pelayar anda.
page-no-provider = Penyedia pembayaran tidak dapat dihubungi. Sila muat semula halaman ini sebentar lagi.
page-failed = Pembayaran itu tidak berjaya. Sila cuba lagi, atau gunakan kad lain.
page-unfinished = Pembayaran tidak diselesaikan.
page-again = Itu tidak berjaya. Sila cuba lagi.
page-confirming = Kami sedang menunggu pengesahan pembayaran anda…
page-unconfirmed = Pembayaran anda belum disahkan. Anda akan menerima mesej sebaik sahaja ia disahkan; sila jangan bayar sekali lagi.
page-transfer = Sila pindahkan { $amount } ke akaun ini selewat-lewatnya pada { $date }. Nyatakan rujukan supaya pembayaran anda dapat dikenal pasti.
page-transfer-account = Akaun
page-transfer-reference = Rujukan
transfer-code = Imbas kod ini dengan aplikasi bank anda untuk mengisi butiran pindahan.
page-transfer-partly = { $received } telah diterima; { $open } masih perlu dibayar.
page-transfer-later = Anda akan menerima mesej sebaik sahaja pembayaran anda diterima, dan kursus anda boleh diakses mulai saat itu.

## The standing of an order: a word for lists, sentences for its buyer

standing-open = belum selesai
standing-waiting = menunggu pembayaran
standing-at-bank = menunggu bank
standing-transfer = menunggu pindahan
standing-on-account = invois belum dibayar
standing-overdue = invois lewat bayar
standing-opening = dibayar
standing-registration = menunggu pendaftaran
standing-refused = akses ditolak
standing-complete = selesai
standing-ended = akses tamat
standing-partly-refunded = dibayar balik sebahagian
standing-refunded = dibayar balik
standing-disputed = pembayaran dipertikaikan
standing-lost = diambil balik oleh bank
standing-cancelled = dibatalkan
standing-expired = tamat tempoh
standing-replaced = digantikan
standing-payment-open = Pesanan ini belum selesai. Anda boleh meneruskannya di kedai.
standing-payment-free = Pesanan anda selesai.
standing-payment-waiting = Pembayaran anda belum disahkan. Halaman ini akan menunjukkannya sebaik sahaja disahkan.
standing-payment-at-bank = Kami sedang menunggu bank anda, yang boleh mengambil masa beberapa hari. Anda akan menerima mesej sebaik sahaja pembayaran anda diterima; sila jangan bayar sekali lagi.
standing-payment-transfer = Kami menunggu pindahan anda. Anda akan menerima mesej sebaik sahaja ia diterima.
standing-payment-on-account = Sila bayar invois selewat-lewatnya pada tarikh akhirnya.
standing-payment-overdue = Invois ini telah lewat bayar. Sila bayar sekarang.
standing-payment-paid = Terima kasih, pembayaran anda telah diterima.
standing-payment-partly-refunded = Sebahagian daripada pesanan ini telah dibayar balik.
standing-payment-refunded = Pesanan ini telah dibayar balik.
standing-payment-disputed = Bank anda telah diminta mengambil balik pembayaran ini dan belum membuat keputusan.
standing-payment-lost = Bank anda telah mengambil balik pembayaran ini.
standing-payment-cancelled = Pesanan ini telah ditamatkan. Anda boleh mula semula di kedai.
standing-payment-expired = Pesanan ini tidak dibayar tepat pada masanya. Anda boleh mula semula di kedai.
standing-payment-replaced = Pesanan ini telah digantikan dengan pesanan lain, dan bank anda masih memproses pembayarannya. Sila jangan bayar sekali lagi.
standing-access-opening = Kursus anda sedang dibuka.
standing-access-registration = Kursus anda akan dibuka sebaik sahaja anda mendaftar dengan alamat anda.
standing-access-open = Kursus anda ada dalam akaun anda.
standing-access-seats = Anda boleh mengagihkan tempat.
standing-access-refused = Platform kursus menolak akses; organisasi sedang menyemaknya.
standing-access-ended = Akses kepada kursus telah tamat.
standing-access-account = Kursus anda ada dalam akaun dengan alamat anda, sebaik ia wujud.
status-replaced = Pembayaran ini telah digantikan dengan pembayaran lain. Sila selesaikan yang itu, atau mula semula di kedai.

## The page of withdrawal, in two steps. Article 11a of Directive 2011/83/EU asks for the words of withdraw-here (above) and
## withdraw-confirm, or others as unambiguous: these are those of its official version, where the language has one

withdraw-confirm = Sahkan penarikan diri
withdraw-intro = Gunakan borang ini untuk menarik diri daripada kontrak. Anda tidak memerlukan akaun dan tidak perlu memberi sebab.
withdraw-intro-shop = Gunakan borang ini untuk menarik diri daripada kontrak anda dengan { $organisation }. Anda tidak memerlukan akaun dan tidak perlu memberi sebab.
withdraw-link-expired = Pautan yang anda ikuti tidak lagi sah. Anda masih boleh mengisytiharkan penarikan diri anda di sini.
withdraw-order = Nombor pesanan atau invois
withdraw-order-hint = Seperti yang tertera pada resit anda.
withdraw-name = Nama anda
withdraw-email = Alamat e-mel anda
withdraw-email-hint = Alamat pesanan anda. Kami mengesahkan penarikan diri anda di situ.
withdraw-items = Daripada apakah anda menarik diri?
withdraw-item = Kursus atau program
withdraw-continue = Teruskan
withdraw-check = Sila semak pengisytiharan anda: Saya menarik diri daripada kontrak bagi pesanan ini.
withdraw-change = Ubah
withdraw-correct = Sila betulkan yang berikut:
withdraw-no-order = Masukkan nombor pesanan atau invois anda.
withdraw-no-name = Masukkan nama anda.
withdraw-no-email = Masukkan alamat e-mel anda, contohnya nama@example.com.
withdraw-no-item = Pilih sekurang-kurangnya satu.
withdraw-received = Penarikan diri anda telah diterima
withdraw-received-at = Kami menerima pengisytiharan anda pada { $date } pukul { $time }.
withdraw-acknowledged = Jika ia menyatakan pesanan bagi alamat ini, anda akan menerima pengesahan berserta kandungannya melalui e-mel.
withdraw-confirmed = Anda akan menerima pengesahan berserta kandungannya melalui e-mel.
withdraw-objection = Anda tidak mengisytiharkan ini?
withdraw-objection-text = Seseorang telah mengisytiharkan penarikan diri daripada pesanan anda dan belum membuktikan bahawa orang itu ialah anda. Jika bukan anda, nyatakan di sini. Tiada apa-apa berlaku sehingga penjual bertanya kepada anda.
withdraw-objected = Terima kasih. Penjual akan meneliti perkara ini dahulu, dan pesanan anda kekal seperti sedia ada sehingga itu.
withdraw-object-late = Tiada lagi apa-apa untuk dibantah: penarikan diri ini telah diputuskan, ditarik balik atau dibantah, atau pautan ini tidak lagi sah.

## The page of a waiting list

waiting-page-title = Senarai menunggu
waiting-page-full = { $course } sudah penuh. Adakah anda mahu diberitahu apabila ada tempat kosong?
waiting-page-listed = Anda berada dalam senarai menunggu { $course }. Anda akan menerima e-mel apabila giliran anda tiba.
waiting-page-offered = Tempat dalam { $course } disimpan untuk anda sehingga { $date }, pukul { $time } ({ $zone }).
waiting-page-ended = Anda tidak berada, atau tidak lagi berada, dalam senarai menunggu kursus ini.

## The page for buying what a link of the course platform names

buy-seats-offer = Tempat untuk orang lain, harga satu tempat
buy-upgrade = naik taraf daripada { $mode }
buy-voucher-accepted = Kod { $code } telah digunakan.
buy-voucher-refused = Kod { $code } tidak terpakai untuk pesanan ini. Inilah harga tanpanya.
buy-seats = Bilangan tempat
buy-name = Nama
buy-line1 = Jalan dan nombor
buy-line2 = Alamat, baris kedua
buy-city = Bandar
buy-state = Negeri atau wilayah
buy-postal-code = Poskod
buy-country = Negara (dua huruf, contohnya MY)
buy-consent-terms = Saya bersetuju dengan terma jualan.
buy-consent-begin-now = Saya mahu bermula sebelum tempoh penarikan diri tamat.
buy-consent-loses-right = Saya tahu bahawa dengan itu saya kehilangan hak penarikan diri.
buy-terms = Terma jualan
buy-enroll = Daftar kursus
buy-continue = Teruskan ke pembayaran
buy-back = Kembali ke kursus anda

## Instead of that page

buy-not-sold = Ini tidak dijual
buy-not-sold-text = Kursus atau sijilnya tidak boleh dibeli di sini, atau tidak lagi. Kembali ke kursus itu dan buka semula halaman ini dari situ.
buy-apart = Sila beli satu demi satu
buy-apart-text = Kursus ini dijual oleh organisasi yang berlainan. Buka setiap kursus dan belinya di situ.
buy-inactive = Sila sahkan alamat e-mel anda
buy-inactive-text = Anda menerima e-mel dengan pautan semasa anda mendaftar. Buka pautan itu, kemudian kembali ke halaman ini.
buy-held = Anda sudah memilikinya
buy-held-text = Tiada apa-apa yang perlu dibayar. Kursus ini ada dalam akaun anda.
buy-refused = Ini tidak boleh dibeli sekarang
buy-refused-text = Kursus ini mungkin penuh, ditutup untuk pendaftaran, atau sudah ada dalam akaun anda.
buy-faulty = Sila semak maklumat yang anda masukkan
buy-faulty-text = Kembali dan betulkan yang berikut:
# $label is buy-seats.
buy-faulty-seats = { $label } (dari 1 hingga { $most })
buy-signed-out = Sila log masuk semula
buy-signed-out-text = Sesi anda telah tamat. Buka semula halaman ini dari kursus anda.
buy-not-admitted = Anda tidak boleh membeli daripada organisasi ini
buy-not-admitted-text = Ia hanya menjual kepada pelajarnya sendiri. Minta akses daripadanya.
buy-no-payments = Kedai ini belum menerima pembayaran
buy-no-payments-text = Sila cuba lagi kemudian, atau tanya organisasi itu.
buy-failed-text = Sila buka semula sebentar lagi. Tiada caj dikenakan kepada anda.

## The page of a learner's orders

history-title = Pesanan anda
history-none = Anda belum membeli apa-apa.
history-refunded = { $amount } dibayar balik
history-invoice = Invois { $number }
history-credit-note = Nota kredit { $number }

## Instead of a page that cannot be shown

problem-expired = Pautan ini telah tamat tempoh
problem-expired-text = Pautan ke pesanan hanya berfungsi untuk masa yang singkat. Jika anda sudah membayar, tiada apa-apa lagi yang perlu dilakukan: kursus anda boleh diakses sebaik sahaja pembayaran diterima, dan anda akan menerima resit melalui e-mel. Untuk melihat pesanan anda, atau membayarnya jika belum, kembali ke kedai dan log masuk.
problem-invalid = Pautan ini tidak lagi sah
problem-invalid-text = Pautan ke pesanan hanya berfungsi untuk masa yang singkat. Sila log masuk dan buka semula pesanan di kedai.
problem-not-found = Pesanan tidak ditemui
problem-not-found-text = Pesanan itu tidak wujud, atau bukan milik anda. Sila semak pautan.
problem-too-many = Terlalu banyak permintaan
problem-too-many-text = Sila tunggu sebentar, dan buka semula halaman ini.
problem-other = Halaman ini tidak dapat dipaparkan sekarang
problem-other-text = Sila buka semula sebentar lagi. Pesanan anda tidak terjejas.
problem-unseen = Anda belum log masuk di sini
problem-unseen-text = Platform telah melog masuk anda, tetapi pelayar anda tidak memberitahu halaman ini. Benarkan kuki untuk laman ini, kemudian buka semula halaman ini.
problem-again-text = Sila buka semula sebentar lagi.
problem-document-text = Pautan ke invois dan nota kredit berfungsi selama 90 hari, dan hanya jika lengkap. Kami boleh menghantar pautan baharu ke alamat yang menerima mesej pertama.
problem-document-send = Hantar pautan baharu
problem-document-sent = Pautan baharu sedang dihantar
problem-document-sent-text = Sila semak peti mel yang menerima mesej pertama. Ia boleh mengambil masa beberapa minit; paling banyak tiga mesej dihantar sehari.
problem-invitation = Pautan ini tidak lengkap
problem-invitation-text = Sila buka semula mesej itu dan gunakan butangnya, atau salin keseluruhan pautan. Anda juga boleh mencipta akaun tanpanya: gunakan alamat yang menerima mesej itu, dan kursus anda akan muncul di situ.

### Invoices and credit notes

document-invoice = Invois
document-credit-note = Nota kredit
document-number = Nombor
document-for-invoice = Untuk invois
document-issued = Tarikh dikeluarkan
document-supplied = Tarikh pembekalan
document-place-of-supply = Tempat pembekalan
document-order = Pesanan
document-reference = Rujukan
document-paid-through = Dibayar melalui
document-due = Tarikh akhir
document-payment-reference = Rujukan pembayaran
document-pay-to = Sila bayar ke akaun ini: { $account }
document-bank-transfer = Pindahan bank
document-billed-to = Dibilkan kepada
document-tax-id = Nombor cukai { $number }
document-description = Perihal
document-quantity = Kuantiti
document-each = { $price } seunit, tanpa cukai
document-net = Bersih
document-rate = Kadar
document-tax = Cukai
document-total = Jumlah
document-total-credited = Jumlah dikreditkan
# Such as: USt 19 % of 200.00. The tax's name is the seller's legal word for it.
document-tax-of = { $tax } { $rate } daripada { $net }
document-converted-tax = Cukai dalam { $currency }: { $amount } (1 { $base } = { $rate } { $currency }, { $day }, { $source })
document-page = Halaman { $page } daripada { $pages }
# { $mode } is the kind of enrollment, such as verified; it is not translated.
document-line = { $item } ({ $mode })
document-line-seats = { $item } ({ $mode }, tempat)
document-line-upgrade = { $item } ({ $mode }, naik taraf daripada { $from })
document-voucher = Baucar { $code } mengurangkan harga sebanyak { $amount }.
document-reverse-charge = Caj berbalik: penerima perlu mengakaunkan VAT.
document-cleared-number = Nombor pihak berkuasa
document-cleared = Disahkan
document-cleared-code = Imbas kod ini untuk menyemak dokumen ini dengan pihak berkuasa.
document-check-code = Imbas kod ini untuk menyemak dokumen ini.

### The example shop

## On every page

shop-name = Kedai contoh
shop-skip = Langkau ke kandungan
shop-courses = Kursus
shop-programs = Program
shop-basket = Bakul
shop-my-orders = Pesanan saya
shop-my-seats = Tempat saya
shop-sign-in = Log masuk
shop-sign-out = Log keluar
shop-footer = Kursus daripada beberapa organisasi dalam satu kedai. Anda belajar di platform mereka, dengan satu akaun.
shop-language = Bahasa
shop-language-set = Tukar
shop-country-demo = Negara (demonstrasi)
shop-country-none = Belum dipilih
shop-country-set = Tetapkan

## Lists

shop-hero-title = Belajar daripada pengamal sebenar
shop-hero-text = Kursus daripada akademi bebas, dengan sijil jika anda mahu. Mulakan hari ini, mengikut rentak anda.
shop-search = Cari
shop-search-hint = Statistik, pertukangan kayu, Sanskrit…
shop-courses-count = { $count } kursus
shop-programs-count = { $count } program
shop-organisations-count = { $count } akademi
shop-filter-organisation = Tapis mengikut akademi
shop-filter-topic = Tapis mengikut topik
shop-filter-all = Semua
shop-sort = Susun mengikut
shop-sort-new = Terbaharu
shop-sort-rating = Penilaian
shop-sort-price = Harga
shop-sort-name = Nama
shop-sort-set = Susun
shop-pages = Halaman
shop-pages-back = Kembali
shop-pages-next = Seterusnya
shop-nothing-found = Tiada hasil
shop-nothing-found-hint = Cuba perkataan yang lebih sedikit, atau topik lain.
shop-show-all = Tunjukkan semua
shop-programs-offer = Ambil beberapa kursus bersama dan jimat
shop-programs-all = Semua program
shop-new = Baharu
shop-free = percuma
shop-instead-of = bukan
shop-price-until = { $name }, hingga { $date }
shop-lowest-before = Harga terendah dalam 30 hari sebelumnya: { $amount }
shop-about = kira-kira { $amount }
shop-percent-off = −{ $percent }
shop-rated = Dinilai { $rating } daripada 5
shop-not-for-sale = Tidak dijual buat masa ini

## A course or a program

shop-self-paced = Mengikut rentak anda
shop-scheduled = Dengan tarikh tetap
shop-outline = Kandungan
shop-outline-size = { $sections } bahagian, { $lessons } pelajaran
shop-lessons = { $count } pelajaran
shop-access-days = Akses selama { $days } hari
shop-access-until = Akses hingga { $date }
shop-reviews = Kata para pelajar
shop-choose = Pilih cara anda belajar
shop-seats-offer = Beli tempat untuk pasukan
shop-seats-number = Bilangan tempat untuk orang lain
shop-gift-offer = Hadiahkan kepada seseorang
shop-gift = Hadiah
shop-gift-hint = Penerima mendapat tempat dan mesej anda pada hari yang anda pilih. Tanpa alamat, anda memberikan tempat itu sendiri.
shop-gift-email = Alamat penerima
shop-gift-giver = Nama anda, seperti yang dibaca penerima
shop-gift-on = Hari (kosong: sekarang)
shop-gift-message = Mesej anda
shop-error-gift-on = Pilih hari ini atau hari kemudian, dalam masa setahun.
shop-gift-alone = Hadiah ialah pesanan tersendiri: pesan tanpa item lain.
shop-add = Masukkan ke bakul
shop-not-for-sale-hint = Organisasinya memberi akses melalui jemputan, atau telah menutup pendaftaran.
shop-full = Kursus ini sudah penuh
shop-full-hint = Apabila ada tempat kosong dan giliran anda tiba, anda akan menerima e-mel, dan tempat itu disimpan untuk anda buat sementara waktu.
shop-wait = Tunggu tempat
shop-waiting-listed = Anda berada dalam senarai menunggu.
shop-waiting-asked = Kami telah menghantar e-mel kepada anda. Sila sahkan di situ bahawa anda mahu menunggu.
shop-has-code = Adakah anda mempunyai kod untuk tempat?
shop-included = Termasuk
shop-starts = Bermula pada { $date }
shop-started = Telah bermula: anda boleh mula hari ini
shop-open-until = Dibuka hingga { $date }
shop-certificate = Sijil apabila anda lulus
shop-receipt-included = Resit melalui e-mel
shop-duration-hours = { $count } jam
shop-duration-days = { $count } hari
shop-duration-weeks = { $count } minggu
shop-duration-months = { $count } bulan
shop-duration-years = { $count } tahun
shop-program-courses = Kursus mengikut urutan
shop-achievements = Apa yang anda miliki pada akhirnya
shop-program-all = Semua kursus bersama
shop-program-alone = Dibeli satu demi satu
shop-program-saved = Anda jimat
shop-program-single = Dijual kursus demi kursus
shop-program-single-hint = Program ini tiada harga sendiri. Pilih kursusnya.
shop-program-certificates = Sijil bagi setiap kursus yang anda lulus

## Modes

shop-mode-audit = Tanpa sijil
shop-mode-honor = Sijil kod kehormatan
shop-mode-verified = Sijil disahkan
shop-mode-professional = Profesional
shop-mode-bootcamp = Bootcamp
shop-mode-executive-education = Pendidikan eksekutif
shop-mode-credit = Dengan kredit akademik
shop-mode-masters = Sarjana

## The basket

shop-basket-title = Bakul anda
shop-basket-empty = Bakul anda kosong
shop-basket-empty-hint = Masukkan kursus atau program, dan ia menunggu anda di sini.
shop-look-courses = Lihat kursus
shop-start-again = Mula semula
shop-look-programs = Lihat program
shop-price-changed = Harga telah berubah. Sila semak semula.
shop-reverse-charge-applied = Tiada cukai dikenakan: nombor cukai anda telah disahkan, jadi syarikat anda mengisytiharkan cukai itu sendiri (caj berbalik).
shop-reverse-charge-invalid = Cukai dikenakan: daftar EU tidak mengenali nombor cukai ini. Sila semak, atau kosongkan.
shop-reverse-charge-unavailable = Cukai dikenakan kerana daftar EU tidak dapat mengesahkan nombor cukai itu sekarang. Untuk membeli tanpa cukai, sila cuba lagi kemudian.
shop-baskets-others = Setiap akademi mempunyai bakulnya sendiri. Anda juga mempunyai:
shop-basket-items = { $count } item
shop-basket-full = Bakul anda penuh, jadi tiada apa-apa ditambah. Sila beli isinya dahulu, atau buang sesuatu.
shop-error-required = Sila isi ruangan ini.
shop-error-check = Sila semak apa yang anda masukkan.
shop-error-voucher = Kod ini tidak terpakai untuk pesanan ini.
shop-error-seats = Masukkan bilangan tempat dari 1 hingga 1000.
shop-error-item = Ini tidak boleh dibeli sekarang. Sila buang.
shop-error-items = Semua ini tidak boleh dibeli bersama. Sila buang sesuatu.
shop-error-emails = Sila semak alamat: satu bagi setiap baris, paling banyak 500.
shop-seats-count = { $count } tempat
shop-upgrade = naik taraf daripada: { $mode }
shop-remove = Buang
shop-item-course = Sebuah kursus
shop-item-program = Sebuah program
shop-subtotal = Jumlah kecil
shop-regional = Diskaun untuk negara anda
shop-discount = Diskaun
shop-quote-until = Harga ini sah hingga { $date }.
shop-voucher-line = Baucar { $code }
shop-voucher = Baucar
shop-voucher-apply = Guna
shop-voucher-accepted = diterima
shop-voucher-refused = tidak diterima
shop-voucher-unknown = Kod ini tidak dikenali.
shop-voucher-not_started = Ia belum sah.
shop-voucher-expired = Ia tidak lagi sah.
shop-voucher-exhausted = Ia telah habis digunakan.
shop-voucher-not_for_these_items = Ia untuk kursus lain.
shop-voucher-currency = Ia untuk mata wang lain.
shop-checkout = Daftar keluar
shop-sign-in-hint = dengan akaun, kursus anda tersedia serta-merta.
shop-email = Alamat e-mel
shop-email-hint = Kami menghantar resit ke sana, dan kursus anda berada dalam akaun dengan alamat ini.
shop-billing = Alamat pengebilan
shop-pay-by-invoice = Bayar dengan invois, sebagai syarikat
shop-invoice-company = Untuk membayar dengan invois, masukkan nama syarikat dan nombor cukai yang dikenali oleh penjual.
shop-invoice-sent = Invois sedang dihantar kepada anda melalui e-mel.
shop-optional = (jika anda memerlukannya pada invois)
shop-address-needed = (pembayaran memerlukan ruangan bertanda *)
shop-field-name = Nama
shop-field-company = Syarikat
shop-field-tax_id = Nombor cukai
shop-field-line1 = Jalan
shop-field-city = Bandar
shop-field-postal_code = Poskod
shop-field-state = Negeri
shop-field-country = Negara
shop-consents = Sebelum anda membeli
shop-consents-missing = Dengan alamat ini ada perkara lain yang perlu dipersetujui. Sila lihat perkara di bawah.
shop-terms = Baca terma jualan
shop-consent-terms = Saya bersetuju dengan terma jualan.
shop-consent-begin_now = Saya mahu bermula serta-merta, sebelum tempoh penarikan diri tamat.
shop-consent-loses_right = Saya tahu bahawa dengan itu saya kehilangan hak penarikan diri.
shop-take = Sertai kursus
shop-buy-for = Beli dengan { $amount }
shop-buy-hint = Anda membayar di halaman seterusnya. Data kad anda tidak pernah sampai ke kedai ini.

## Payment

shop-payment = Pembayaran
shop-leaving = Anda membayar di halaman penyedia
shop-leaving-hint = Ia terbuka sendiri. Selepas itu anda kembali ke pesanan anda di sini.
shop-leave = Pergi sekarang
shop-pay-unavailable = Penyedia pembayaran tidak dapat dihubungi.
shop-pay-kept = Pesanan anda disimpan, dan tiada apa-apa dicaj. Sila cuba lagi, atau kembali dan pilih cara lain.
shop-pay-again = Cuba lagi

## Orders

shop-order-title = Pesanan anda
shop-order-number = Pesanan
shop-orders-title = Pesanan anda
shop-orders-none = Anda belum ada pesanan
shop-orders-none-hint = Apa yang anda beli disenaraikan di sini, dengan invoisnya.
shop-timeline = Perkembangan pesanan
shop-step-placed = Dipesan
shop-step-paid = Dibayar
shop-step-access = Akses
shop-step-receipt = Resit
shop-step-invoice = Invois
shop-step-waiting = menunggu penyedia
shop-step-transfer = menunggu pindahan anda
shop-step-closed = tidak dibayar
shop-step-account = dalam akaun dengan alamat anda, sebaik ia wujud
shop-step-enrolled = kursus anda boleh diakses
shop-step-seats = anda boleh mengagihkan tempat
shop-step-working = sebentar
shop-step-refused = platform menolaknya; organisasi sedang menyemak
shop-step-ended = tamat
shop-step-mail = dalam e-mel anda
shop-enrollment-none = belum
shop-enrollment-enrolled = didaftarkan
shop-enrollment-pending_registration = menunggu akaun
shop-enrollment-removed = tamat
shop-enrollment-refused = ditolak oleh platform
shop-refund = Minta bayaran balik
shop-refund-until = hingga { $date }
shop-refunded = { $amount } dibayar balik
shop-documents = Invois dan nota kredit
shop-next = Apa seterusnya
shop-next-mail = Resit ada dalam e-mel anda.
shop-next-account = Log masuk dengan alamat itu untuk melihat pesanan dalam akaun anda.

## Seats

shop-seats-title = Tempat anda
shop-seats-none = Anda belum membeli tempat
shop-seats-none-hint = Anda boleh membeli tempat untuk orang lain dalam setiap kursus berbayar.
shop-seats-manage = Urus tempat
shop-seats-mail = Pautan dalam e-mel anda membuka tempat itu.
shop-seats-left = Tinggal { $left } daripada { $seats } tempat
shop-batch = Hasil bagi setiap alamat
shop-batch-waiting = Halaman ini dikemas kini sehingga setiap alamat selesai.
shop-assigned = Siapa yang mempunyai tempat
shop-assigned-none = Belum ada sesiapa.
shop-seat = Tempat
shop-seat-pending = menunggu akaun
shop-seat-enrolled = didaftarkan
shop-seat-ended = diambil balik
shop-take-back = Ambil balik
shop-remind = Ingatkan mereka yang belum mendaftar
shop-reminded = { $count } peringatan sedang dihantar.
shop-reminded-recently = { $count } alamat telah menerima mesej dalam tempoh sehari, dan tidak menerima yang lain hari ini.
shop-reminded-none = Tiada sesiapa diingatkan: tiada tempat yang menunggu pendaftaran.
shop-taken-back-free = Tempat itu telah diambil balik. Anda boleh memberikannya kepada orang lain.
shop-taken-back-spent = Tempat itu telah diambil balik, dan aksesnya telah tamat. Ia telah digunakan, jadi tidak boleh diberikan lagi.
shop-taken-back-none = Tiada apa-apa berubah: alamat ini tidak mempunyai tempat.
shop-row-repeated = ada dua kali dalam senarai
shop-row-used-up = tiada tempat lagi
shop-row-address = bukan alamat yang boleh dihantar e-mel
shop-row-refused = tidak mendapat tempat
shop-assign = Agihkan tempat
shop-assign-emails = Alamat e-mel, satu bagi setiap baris
shop-assign-do = Agihkan
shop-code = Kod:
shop-code-hint = Setiap orang boleh mengambil satu tempat dengan memesan kursus ini menggunakan kod sebagai baucar.

## Faults

shop-fault-missing = Halaman ini tidak wujud
shop-fault-hint-missing = Ia mungkin telah berpindah, atau alamatnya tersalah taip.
shop-fault-busy = Terlalu banyak percubaan
shop-fault-hint-busy = Sila cuba lagi sebentar nanti.
shop-fault-unavailable = Itu tidak berjaya
shop-fault-hint-unavailable = Satu perkhidmatan yang kami perlukan tidak menjawab. Tiada yang hilang: sila cuba lagi sebentar nanti.
shop-fault-foreign = Borang itu datang dari tempat lain
shop-fault-hint-foreign = Hanya halaman kedai ini boleh menghantar borangnya. Buka halaman itu semula di sini, dan hantar borang daripadanya.
shop-fault-unreadable = Itu tidak dapat dibaca
shop-fault-hint-unreadable = Ada sesuatu yang tidak betul pada alamat atau borang. Kembali, dan cuba sekali lagi.
shop-fault-refused = Itu tidak berjaya
shop-fault-hint-refused = Sila kembali, semak apa yang anda masukkan, dan cuba lagi.
shop-fault-hint-link = Pautan dalam e-mel berfungsi untuk masa yang terhad. Sila log masuk dengan alamat penerimanya, atau minta pautan baharu daripada organisasi.
shop-to-basket = Kembali ke bakul

### The course platform's catalog

slot-buy-certificate = Beli sijil
slot-buy-course = Beli kursus
slot-sold-out = Habis dijual
slot-certificate-sold-out = Sijil: habis dijual
slot-tax-rate = termasuk cukai { $rate }
slot-tax-included = termasuk cukai
slot-tax-excluded = tambah cukai
slot-price-before = Harga sebelum diskaun:
slot-price-now = Harga:
slot-program = Program { $name }:
