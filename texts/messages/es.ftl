# Spanish. Address the reader as tú.

### Mails

## Every mail

mail-order = Pedido { $order }
mail-invoice-attached = Adjuntamos la factura { $number }.
mail-credit-note-attached = Adjuntamos la factura rectificativa { $number }.
mail-open-course = Ir a tu curso
mail-begins = Comienzo, también en el archivo de calendario adjunto:
mail-begins-at = { $course }: { $moment } ({ $zone })
mail-open-invoice = Ver tu factura
mail-open-credit-note = Ver tu factura rectificativa
mail-create-account = Crear tu cuenta
mail-reason = { $organisation } te envía este mensaje porque hay un pedido o una inscripción con esta dirección.
mail-contact = ¿Preguntas? Responde a este mensaje o escribe a { $email }.

## Receipt: after an order was paid or was free

receipt-subject = Tu recibo de { $organisation }
receipt-heading = Gracias por tu compra
receipt-bought = Esto es lo que compraste en { $organisation } el { $date }:
receipt-voucher = Con el cupón { $code } ahorraste { $amount }.
receipt-courses = Tus cursos están en tu cuenta. Si todavía no tienes una, otro mensaje te explica cómo crearla con esta dirección de correo.
receipt-agreed = El { $date } aceptaste:
receipt-agreed-terms = las condiciones de venta
receipt-agreed-version = las condiciones de venta, versión { $version }
receipt-agreed-begin = que empecemos antes de que termine el plazo de desistimiento, como pediste expresamente
receipt-agreed-service = que pierdes tu derecho de desistimiento una vez que el servicio se haya prestado por completo
receipt-agreed-content = que con ello pierdes tu derecho de desistimiento

invoice-subject = Tu factura de { $organisation }
invoice-heading = Gracias por tu pedido
invoice-ordered = Esto es lo que pediste a { $organisation } el { $date }:
invoice-pay = Transfiere { $amount } a esta cuenta a más tardar el { $date }. Indica la referencia { $reference }.
cancelled-subject = Se anuló tu factura de { $organisation }
cancelled-heading = Tu factura se anuló
cancelled-text = El pedido se anuló: no hay nada que pagar y ya no tienes acceso a los cursos.
transfer-subject = Cómo pagar tu pedido a { $organisation }
document-again-subject = Tu documento de { $organisation }
document-again-heading = Aquí tienes tu nuevo enlace
document-again-text = Se ha pedido un nuevo enlace en la página de este documento. No hace falta que guardes los anteriores.
document-follows-subject = Tu documento de { $organisation }
document-follows-heading = Aquí tienes tu documento
document-follows-text = Pertenece a este pedido. Si ya te enviamos una versión anterior, la sustituye.

## An invoice that was corrected

corrected-subject = Tu factura corregida de { $organisation }
corrected-heading = Tu factura está corregida
corrected-text = La nueva factura sustituye a la anterior. Nada más cambia en tu pedido.

## A place that has moved to another course or person

moved-subject = Un cambio en tu pedido de { $organisation }
moved-heading = Tu plaza se ha trasladado
moved-to-course = Tu plaza en { $from } es ahora una en { $to }. No se cobra ni se reembolsa nada por ello.
moved-to-person = Tu plaza en { $to } es ahora de otra persona, como se pidió. No se cobra ni se reembolsa nada por ello.
access-ends-subject = Tu acceso a un curso de { $organisation } termina pronto
access-ends-heading = Tu acceso termina pronto
access-ends-text = El { $date } es el último día de tu acceso a { $course }.
access-ends-again = Si lo compras de nuevo, el nuevo periodo sigue al actual.
access-over-subject = Tu acceso a un curso de { $organisation } ha terminado
access-over-heading = Tu acceso ha terminado
access-over-text = El { $date } fue el último día de tu acceso a { $course }.
access-buy-again = Comprar de nuevo

## The waiting list of a full course

waiting-confirm-subject = Una plaza en un curso de { $organisation }: confirme, por favor
waiting-confirm-heading = ¿Quiere esperar una plaza?
waiting-confirm-text = { $course } está completo. Usted, u otra persona con esta dirección, ha pedido que le avisemos cuando haya una plaza libre. Si no fue usted, no tiene que hacer nada: esta dirección se olvidará después de una semana.
waiting-listed-subject = Está en la lista de espera de { $organisation }
waiting-listed-heading = Está en la lista de espera
waiting-listed-text = Cuando haya una plaza libre en { $course } y sea su turno, recibirá un correo. Esa plaza quedará reservada para usted durante un tiempo.
waiting-leave-hint = Puede salir de la lista en cualquier momento:
waiting-offered-subject = Hay una plaza libre en un curso de { $organisation }
waiting-offered-heading = Hay una plaza libre para usted
waiting-offered-text = Tiene reservada una plaza en { $course } hasta el { $date } a las { $time } ({ $zone }). Después pasará a la siguiente persona.
waiting-code = El código { $code } da la plaza solo a esta dirección de correo.

## Refund

refund-subject = Tu reembolso de { $organisation }
refund-heading = Tu reembolso de { $amount }
refund-lines = { $organisation } te ha reembolsado { $amount } de tu pedido:
refund-time = El dinero vuelve por el mismo medio con el que pagaste. Puede tardar hasta diez días en llegar.

## Invitation: to somebody who has courses but no account yet

invitation-subject = Tu plaza en { $organisation }
invitation-heading = Tienes una plaza reservada
invitation-courses = { $organisation } te ha reservado una plaza en:
invitation-how = Para empezar a aprender, crea tu cuenta con esta dirección de correo.
invitation-afterwards = Tus cursos aparecerán en tu cuenta en cuanto esté activa. Si ya tienes una cuenta con otra dirección, crea una con esta o pide a { $organisation } que la cambie.
invitation-unexpected = Si no esperabas este mensaje, puedes ignorarlo: no ocurrirá nada sin ti.

## Seats ready: to somebody who bought places for others

seats-subject = Tus plazas de { $organisation }
seats-heading = { PLURAL($seats) ->
    [one] Tu plaza está lista
   *[other] Tus { $seats } plazas están listas
}
seats-ready = { PLURAL($seats) ->
    [one] Ya puedes repartir { $seats } plaza en { $item } de { $organisation }.
   *[other] Ya puedes repartir { $seats } plazas en { $item } de { $organisation }.
}
seats-manage = Asígnalas a otras personas por su dirección de correo, consulta quién tiene una y recupera plazas.
seats-open = Gestionar tus plazas
seats-link = Este enlace abre tus plazas durante un año. Dalo solo a quienes puedan gestionarlas.
seats-code = Envía este código a otras personas: cada una puede ocupar una plaza si pide { $item } con él.
seats-code-too = También puedes enviar este código a otras personas: cada una puede ocupar una plaza si pide { $item } con él.

## Seat assigned: to somebody for whom another person has bought a place. { $giver } is that person's address, or the seller

seat-subject = Tu plaza en { $organisation }
seat-heading = Tienes una plaza en { $item }
seat-heading-reminder = Tu plaza en { $item } todavía te espera
seat-given = { $giver } te ha dado una plaza en { $item }, en { $organisation }.
seat-in-account = Está en tu cuenta.
seat-afterwards = Tus cursos aparecerán en tu cuenta en cuanto esté activa. Si ya tienes una cuenta con otra dirección, pide a { $giver } que use esa.
seat-unexpected = Si no esperabas este mensaje, puedes ignorarlo.
gift-subject = Un regalo para ti en { $organisation }
gift-heading = { $giver } te regala { $item }
gift-planned-heading = Tu regalo está listo
gift-planned = { $recipient } recibirá la plaza el { $date }.
gift-given-now = Va de camino a { $recipient }.
gift-change = Hasta entonces puedes asignarla a otra persona.

## Withdrawal from the contract

withdrawal-subject = Tu desistimiento ante { $organisation }
withdrawal-heading = Hemos recibido tu desistimiento
withdrawal-received = { $organisation } ha recibido tu desistimiento el { $date } a las { $time }:
withdrawal-name = Nombre: { $name }
withdrawal-email = Correo: { $email }
withdrawal-keep = Guarda este mensaje: confirma lo que declaraste y cuándo.
withdrawal-unproved = Todavía nada nos ha mostrado que seas quien compró. El desistimiento cuenta desde la hora indicada y se ejecutará el { $date }. Si no lo declaraste, dilo antes, y no ocurrirá nada hasta que { $organisation } te haya preguntado.
withdrawal-object = Este desistimiento no es mío
withdrawal-refused-subject = Tu desistimiento ante { $organisation } no fue aceptado
withdrawal-refused-heading = Tu desistimiento no fue aceptado
withdrawal-refused = { $organisation } ha revisado el desistimiento que declaraste el { $date } y no lo ha aceptado:
withdrawal-disagree = Si no estás de acuerdo, escribe a { $organisation }.

### Mails, pages and invoices

item-seats = { PLURAL($seats) ->
    [one] { $item }, { $seats } plaza
   *[other] { $item }, { $seats } plazas
}
order-tax = Impuesto
order-tax-included = impuesto incluido
order-total = Total
# The link of receipts, and the title of the page to which it leads.
withdraw-here = Desistir del contrato aquí

# The buttons of mails about a waiting list, and of the page to which they lead.
waiting-confirm = Sí, apuntarme a la lista
waiting-leave = Salir de la lista
waiting-buy = Tomar la plaza
waiting-decline = No la quiero

### Pages

## The payment page

page-payment = Pago – { $organisation }
page-your-order = Tu pedido
page-pay = Pagar { $amount }
page-loading = Cargando…
page-moment = Un momento…
page-back = Volver a { $shop }
page-no-script = Para pagar hace falta JavaScript, que está desactivado en tu navegador.
page-no-provider = No se puede contactar con el proveedor de pagos. Vuelve a cargar esta página en un momento.
page-failed = Ese pago no se completó. Inténtalo de nuevo o usa otra tarjeta.
page-unfinished = El pago no se terminó.
page-again = Eso no funcionó. Inténtalo de nuevo.
page-confirming = Estamos esperando la confirmación de tu pago…
page-unconfirmed = Tu pago todavía no está confirmado. Recibirás un mensaje en cuanto lo esté; por favor, no pagues otra vez.
page-transfer = Transfiere { $amount } a esta cuenta a más tardar el { $date }. Indica la referencia para que podamos identificar tu pago.
page-transfer-account = Cuenta
page-transfer-reference = Referencia
transfer-code = Escanea este código con la aplicación de tu banco para rellenar la transferencia.
page-transfer-partly = Recibido: { $received }. Pendiente: { $open }.
page-transfer-later = Recibirás un mensaje en cuanto llegue tu pago, y entonces tendrás acceso a tus cursos.

## The standing of an order: a word for lists, sentences for its buyer

standing-open = sin completar
standing-waiting = a la espera del pago
standing-at-bank = a la espera del banco
standing-transfer = a la espera de la transferencia
standing-on-account = factura pendiente
standing-overdue = factura vencida
standing-opening = pagado
standing-registration = a la espera del registro
standing-refused = acceso rechazado
standing-complete = completo
standing-ended = acceso finalizado
standing-partly-refunded = reembolsado en parte
standing-refunded = reembolsado
standing-disputed = pago en disputa
standing-lost = retirado por el banco
standing-cancelled = cancelado
standing-expired = caducado
standing-replaced = sustituido
standing-payment-open = Este pedido todavía no está completo. Puedes continuar en la tienda.
standing-payment-free = Tu pedido está completo.
standing-payment-waiting = Tu pago todavía no está confirmado. Esta página lo mostrará en cuanto lo esté.
standing-payment-at-bank = Estamos esperando a tu banco, lo que puede tardar unos días. Recibirás un mensaje en cuanto llegue tu pago; por favor, no pagues otra vez.
standing-payment-transfer = Estamos esperando tu transferencia. Recibirás un mensaje en cuanto llegue.
standing-payment-on-account = Paga la factura a más tardar en su fecha de vencimiento.
standing-payment-overdue = La factura está vencida. Págala ahora.
standing-payment-paid = Gracias, tu pago ha llegado.
standing-payment-partly-refunded = Se ha reembolsado una parte de este pedido.
standing-payment-refunded = Este pedido fue reembolsado.
standing-payment-disputed = Se ha pedido a tu banco que recupere este pago y todavía no ha decidido.
standing-payment-lost = Tu banco ha recuperado este pago.
standing-payment-cancelled = Este pedido se canceló. Puedes volver a empezar en la tienda.
standing-payment-expired = Este pedido no se pagó a tiempo. Puedes volver a empezar en la tienda.
standing-payment-replaced = Este pedido fue sustituido por otro y tu banco todavía procesa su pago. Por favor, no lo pagues otra vez.
standing-access-opening = Estamos abriendo tus cursos.
standing-access-registration = Tus cursos se abrirán en cuanto te registres con tu dirección.
standing-access-open = Tus cursos están en tu cuenta.
standing-access-seats = Puedes asignar las plazas.
standing-access-refused = La plataforma de cursos ha rechazado el acceso; la organización lo está revisando.
standing-access-ended = El acceso a los cursos ha terminado.
standing-access-account = Tus cursos están en la cuenta con tu dirección, en cuanto exista.
status-replaced = Este pago fue sustituido por otro. Termina ese o vuelve a empezar en la tienda.

## The page of withdrawal, in two steps. Article 11a of Directive 2011/83/EU asks for the words of withdraw-here (above) and
## withdraw-confirm, or others as unambiguous: these are those of its official version, where the language has one

withdraw-confirm = Confirmar desistimiento
withdraw-intro = Con este formulario desistes de un contrato. No necesitas una cuenta ni tienes que dar motivos.
withdraw-intro-shop = Con este formulario desistes de tu contrato con { $organisation }. No necesitas una cuenta ni tienes que dar motivos.
withdraw-link-expired = El enlace que has seguido ya no es válido. Aun así puedes declarar aquí tu desistimiento.
withdraw-order = Número de pedido o de factura
withdraw-order-hint = Tal como aparece en tu recibo.
withdraw-name = Tu nombre
withdraw-email = Tu correo electrónico
withdraw-email-hint = La dirección de tu pedido. Allí confirmaremos tu desistimiento.
withdraw-items = ¿De qué desistes?
withdraw-item = Curso o programa
withdraw-continue = Continuar
withdraw-check = Comprueba tu declaración: desisto del contrato sobre este pedido.
withdraw-change = Cambiar
withdraw-correct = Corrige lo siguiente:
withdraw-no-order = Introduce el número de tu pedido o factura.
withdraw-no-name = Introduce tu nombre.
withdraw-no-email = Introduce tu correo electrónico, por ejemplo nombre@example.com.
withdraw-no-item = Elige al menos uno.
withdraw-received = Hemos recibido tu desistimiento
withdraw-received-at = Recibimos tu declaración el { $date } a las { $time }.
withdraw-acknowledged = Si se refiere a un pedido de esta dirección, recibirás por correo una confirmación con su contenido.
withdraw-confirmed = Recibirás por correo una confirmación con su contenido.
withdraw-objection = ¿No has desistido tú?
withdraw-objection-text = Alguien ha declarado el desistimiento de tu pedido sin demostrar que eres tú. Si no fuiste tú, dilo aquí. No ocurrirá nada hasta que el vendedor te haya preguntado.
withdraw-objected = Gracias. El vendedor lo revisará primero; hasta entonces, tu pedido queda como está.
withdraw-object-late = Ya no hay nada que objetar: este desistimiento ya se decidió, se retiró o se objetó, o este enlace ya no es válido.

## The page of a waiting list

waiting-page-title = Lista de espera
waiting-page-full = { $course } está completo. ¿Quiere que le avisemos cuando haya una plaza libre?
waiting-page-listed = Está en la lista de espera de { $course }. Recibirá un correo cuando sea su turno.
waiting-page-offered = Tiene reservada una plaza en { $course } hasta el { $date } a las { $time } ({ $zone }).
waiting-page-ended = No está, o ya no está, en la lista de espera de este curso.

## The page for buying what a link of the course platform names

buy-seats-offer = Plazas para otras personas, precio de una
buy-upgrade = mejora desde { $mode }
buy-voucher-accepted = El código { $code } está aplicado.
buy-voucher-refused = El código { $code } no se aplica a este pedido. Este es el precio sin él.
buy-seats = Número de plazas
buy-name = Nombre
buy-line1 = Calle y número
buy-line2 = Dirección, segunda línea
buy-city = Ciudad
buy-state = Estado o provincia
buy-postal-code = Código postal
buy-country = País (dos letras, por ejemplo ES)
buy-consent-terms = Acepto las condiciones de venta.
buy-consent-begin-now = Quiero empezar antes de que termine el plazo de desistimiento.
buy-consent-loses-right = Sé que con ello pierdo mi derecho de desistimiento.
buy-terms = Condiciones de venta
buy-enroll = Inscribirme
buy-continue = Continuar al pago
buy-back = Volver a tus cursos

## Instead of that page

buy-not-sold = Esto no está a la venta
buy-not-sold-text = El curso o su certificado no se puede comprar aquí, o ya no. Vuelve al curso y abre la página de nuevo desde allí.
buy-apart = Compra estos cursos uno por uno
buy-apart-text = Estos cursos los venden organizaciones distintas. Abre cada curso y cómpralo allí.
buy-inactive = Confirma tu correo electrónico
buy-inactive-text = Al registrarte recibiste un correo con un enlace. Abre ese enlace y luego vuelve a esta página.
buy-held = Ya lo tienes
buy-held-text = No hay nada que pagar. El curso está en tu cuenta.
buy-refused = Ahora no se puede comprar
buy-refused-text = Puede que el curso esté completo, tenga la inscripción cerrada o ya esté en tu cuenta.
buy-faulty = Revisa lo que has introducido
buy-faulty-text = Vuelve atrás y corrige lo siguiente:
# $label is buy-seats.
buy-faulty-seats = { $label } (de 1 a { $most })
buy-signed-out = Vuelve a iniciar sesión
buy-signed-out-text = Tu sesión ha terminado. Abre la página de nuevo desde tu curso.
buy-not-admitted = No puedes comprar a esta organización
buy-not-admitted-text = Solo vende a sus propios estudiantes. Pídele acceso.
buy-no-payments = Esta tienda todavía no acepta pagos
buy-no-payments-text = Inténtalo más tarde o pregunta a la organización.
buy-failed-text = Vuelve a abrirla en un momento. No se te ha cobrado nada.

## The page of a learner's orders

history-title = Tus pedidos
history-none = Todavía no has comprado nada.
history-refunded = { $amount } reembolsados
history-invoice = Factura { $number }
history-credit-note = Factura rectificativa { $number }

## Instead of a page that cannot be shown

problem-expired = Este enlace ha caducado
problem-expired-text = Los enlaces a un pedido funcionan solo durante poco tiempo. Si ya pagaste, no tienes que hacer nada más: tendrás acceso a tus cursos en cuanto llegue el pago y recibirás un recibo por correo. Para ver tu pedido, o para pagarlo si aún no lo has hecho, vuelve a la tienda e inicia sesión.
problem-invalid = Este enlace ya no es válido
problem-invalid-text = Los enlaces a un pedido funcionan solo durante poco tiempo. Inicia sesión y vuelve a abrir el pedido en la tienda.
problem-not-found = Pedido no encontrado
problem-not-found-text = Ese pedido no existe o no es tuyo. Comprueba el enlace.
problem-too-many = Demasiadas solicitudes
problem-too-many-text = Espera un momento y vuelve a abrir la página.
problem-other = Esta página no se puede mostrar ahora
problem-other-text = Vuelve a abrirla en un momento. Tu pedido no se ve afectado.
problem-unseen = No has iniciado sesión aquí
problem-unseen-text = Has iniciado sesión en la plataforma, pero tu navegador no se lo comunica a esta página. Permite las cookies de este sitio y vuelve a abrir la página.
problem-again-text = Vuelve a abrirla en un momento.
problem-document-text = Los enlaces a facturas y facturas rectificativas funcionan durante 90 días, y solo completos. Podemos enviar uno nuevo a la dirección que recibió el primer mensaje.
problem-document-send = Enviar un enlace nuevo
problem-document-sent = El enlace nuevo está en camino
problem-document-sent-text = Mira en el buzón que recibió el primer mensaje. Puede tardar unos minutos; se envían como máximo tres mensajes al día.
problem-invitation = Este enlace está incompleto
problem-invitation-text = Vuelve a abrir el mensaje y usa su botón, o copia el enlace entero. También puedes crear tu cuenta sin él: usa la dirección que recibió el mensaje, y tus cursos aparecerán allí.

### Invoices and credit notes

document-invoice = Factura
document-credit-note = Factura rectificativa
document-number = Número
document-for-invoice = De la factura
document-issued = Fecha de emisión
document-supplied = Fecha de la operación
document-place-of-supply = Lugar de la prestación
document-order = Pedido
document-reference = Referencia
document-paid-through = Pagado mediante
document-due = Vencimiento
document-payment-reference = Referencia de pago
document-pay-to = Paga a esta cuenta: { $account }
document-bank-transfer = Transferencia bancaria
document-billed-to = Facturado a
document-tax-id = NIF { $number }
document-description = Descripción
document-quantity = Cantidad
document-each = { $price } por unidad, sin impuestos
document-net = Base
document-rate = Tipo
document-tax = Impuesto
document-total = Total
document-total-credited = Total rectificado
# Such as: USt 19 % of 200.00. The tax's name is the seller's legal word for it.
document-tax-of = { $tax } { $rate } de { $net }
document-converted-tax = Impuesto en { $currency }: { $amount } (1 { $base } = { $rate } { $currency }, { $day }, { $source })
document-page = Página { $page } de { $pages }
# { $mode } is the kind of enrollment, such as verified; it is not translated.
document-line = { $item } ({ $mode })
document-line-seats = { $item } ({ $mode }, plazas)
document-line-upgrade = { $item } ({ $mode }, mejora desde { $from })
document-voucher = El cupón { $code } redujo los precios en { $amount }.
document-reverse-charge = Inversión del sujeto pasivo: el destinatario debe declarar el IVA.
document-cleared-number = Número de la administración
document-cleared = Validado
document-cleared-code = Escanea este código para comprobar este documento ante la administración.
document-check-code = Escanea este código para comprobar este documento.

### The example shop

## On every page

shop-name = Tienda de ejemplo
shop-skip = Ir al contenido
shop-courses = Cursos
shop-programs = Programas
shop-basket = Cesta
shop-my-orders = Mis pedidos
shop-my-seats = Mis plazas
shop-sign-in = Iniciar sesión
shop-sign-out = Cerrar sesión
shop-footer = Cursos de varias organizaciones en una tienda. Aprendes en su plataforma, con una sola cuenta.
shop-language = Idioma
shop-language-set = Cambiar
shop-country-demo = País (demostración)
shop-country-none = Sin elegir
shop-country-set = Fijar

## Lists

shop-hero-title = Aprende con profesionales en activo
shop-hero-text = Cursos de academias independientes, con certificado si lo deseas. Empieza hoy, a tu propio ritmo.
shop-search = Buscar
shop-search-hint = Estadística, carpintería, sánscrito…
shop-courses-count = { PLURAL($count) ->
    [one] { $count } curso
   *[other] { $count } cursos
}
shop-programs-count = { PLURAL($count) ->
    [one] { $count } programa
   *[other] { $count } programas
}
shop-organisations-count = { PLURAL($count) ->
    [one] { $count } academia
   *[other] { $count } academias
}
shop-filter-organisation = Filtrar por academia
shop-filter-topic = Filtrar por tema
shop-filter-all = Todos
shop-sort = Ordenar por
shop-sort-new = Más recientes
shop-sort-rating = Valoración
shop-sort-price = Precio
shop-sort-name = Nombre
shop-sort-set = Ordenar
shop-pages = Páginas
shop-pages-back = Atrás
shop-pages-next = Siguiente
shop-nothing-found = No se encontró nada
shop-nothing-found-hint = Prueba con menos palabras o con otro tema.
shop-show-all = Mostrar todo
shop-programs-offer = Llévate varios cursos juntos y ahorra
shop-programs-all = Todos los programas
shop-new = Nuevo
shop-free = gratis
shop-instead-of = en vez de
shop-price-until = { $name }, hasta el { $date }
shop-lowest-before = Precio más bajo de los 30 días anteriores: { $amount }
shop-about = unos { $amount }
shop-percent-off = −{ $percent }
shop-rated = Valorado con { $rating } de 5
shop-not-for-sale = No está a la venta por ahora

## A course or a program

shop-self-paced = A tu propio ritmo
shop-scheduled = Con fechas fijas
shop-outline = Contenido
shop-outline-size = { PLURAL($sections) ->
    [one] { $sections } sección
   *[other] { $sections } secciones
}, { PLURAL($lessons) ->
    [one] { $lessons } lección
   *[other] { $lessons } lecciones
}
shop-lessons = { PLURAL($count) ->
    [one] { $count } lección
   *[other] { $count } lecciones
}
shop-access-days = { PLURAL($days) ->
    [one] Acceso durante { $days } día
   *[other] Acceso durante { $days } días
}
shop-access-until = Acceso hasta el { $date }
shop-reviews = Qué dicen los alumnos
shop-choose = Elige cómo aprender
shop-seats-offer = Comprar plazas para un equipo
shop-seats-number = Número de plazas para otras personas
shop-gift-offer = Regalarlo
shop-gift = Un regalo
shop-gift-hint = La persona que lo recibe obtiene la plaza y tu mensaje el día que elijas. Sin dirección, asignas la plaza tú.
shop-gift-email = Dirección de la persona que lo recibe
shop-gift-giver = Tu nombre, como lo leerá
shop-gift-on = Día (vacío: ahora mismo)
shop-gift-message = Tu mensaje
shop-error-gift-on = Elige hoy o un día posterior, dentro de un año.
shop-gift-alone = Un regalo es un pedido aparte: pídelo sin los demás artículos.
shop-add = Añadir a la cesta
shop-not-for-sale-hint = La organización da acceso por invitación o ha cerrado la inscripción.
shop-full = Este curso está completo
shop-full-hint = Cuando haya una plaza libre y sea su turno, recibirá un correo, y la plaza quedará reservada para usted durante un tiempo.
shop-wait = Esperar una plaza
shop-waiting-listed = Está en la lista de espera.
shop-waiting-asked = Le hemos enviado un correo. Confirme en él que quiere esperar.
shop-has-code = ¿Tiene un código para una plaza?
shop-included = Incluye
shop-starts = Empieza el { $date }
shop-started = Ya ha empezado: puedes unirte hoy
shop-open-until = Abierto hasta el { $date }
shop-certificate = Un certificado al aprobar
shop-receipt-included = Recibo por correo
shop-duration-hours = { PLURAL($count) ->
    [one] { $count } hora
   *[other] { $count } horas
}
shop-duration-days = { PLURAL($count) ->
    [one] { $count } día
   *[other] { $count } días
}
shop-duration-weeks = { PLURAL($count) ->
    [one] { $count } semana
   *[other] { $count } semanas
}
shop-duration-months = { PLURAL($count) ->
    [one] { $count } mes
   *[other] { $count } meses
}
shop-duration-years = { PLURAL($count) ->
    [one] { $count } año
   *[other] { $count } años
}
shop-program-courses = Los cursos, en su orden
shop-achievements = Lo que tendrás al final
shop-program-all = Todos los cursos juntos
shop-program-alone = Comprados por separado
shop-program-saved = Ahorras
shop-program-single = Se vende curso por curso
shop-program-single-hint = Este programa no tiene precio propio. Elige los cursos.
shop-program-certificates = Un certificado por cada curso aprobado

## Modes

shop-mode-audit = Sin certificado
shop-mode-honor = Certificado de honor
shop-mode-verified = Certificado verificado
shop-mode-professional = Profesional
shop-mode-bootcamp = Bootcamp
shop-mode-executive-education = Formación ejecutiva
shop-mode-credit = Con créditos académicos
shop-mode-masters = Máster

## The basket

shop-basket-title = Tu cesta
shop-basket-empty = Tu cesta está vacía
shop-basket-empty-hint = Añade un curso o un programa, y te esperará aquí.
shop-look-courses = Ver los cursos
shop-start-again = Volver a empezar
shop-look-programs = Ver los programas
shop-price-changed = El precio ha cambiado. Revísalo, por favor.
shop-reverse-charge-applied = No se cobra impuesto: se ha confirmado tu NIF, así que tu empresa declara el impuesto (inversión del sujeto pasivo).
shop-reverse-charge-invalid = Se cobra el impuesto: el registro de la UE no conoce este NIF. Compruébalo o quítalo.
shop-reverse-charge-unavailable = Se cobra el impuesto porque el registro de la UE no puede confirmar el NIF en este momento. Para comprar sin impuesto, inténtalo más tarde.
shop-baskets-others = Cada academia tiene su propia cesta. También tienes:
shop-basket-items = { PLURAL($count) ->
    [one] { $count } artículo
   *[other] { $count } artículos
}
shop-basket-full = Tu cesta está llena y no se ha añadido nada. Compra primero lo que contiene o quita algo.
shop-error-required = Rellena este campo.
shop-error-check = Comprueba lo que has introducido.
shop-error-voucher = Este código no se aplica a este pedido.
shop-error-seats = Introduce un número de plazas de 1 a 1000.
shop-error-item = Ahora no se puede comprar. Quítalo de la cesta.
shop-error-items = No se pueden comprar juntos. Quita algo de la cesta.
shop-error-emails = Comprueba las direcciones: una por línea, 500 como máximo.
shop-seats-count = { PLURAL($count) ->
    [one] { $count } plaza
   *[other] { $count } plazas
}
shop-upgrade = mejora desde: { $mode }
shop-remove = Quitar
shop-item-course = Un curso
shop-item-program = Un programa
shop-subtotal = Subtotal
shop-regional = Descuento para tu país
shop-discount = Descuento
shop-quote-until = Estos precios son válidos hasta el { $date }.
shop-voucher-line = Cupón { $code }
shop-voucher = Cupón
shop-voucher-apply = Aplicar
shop-voucher-accepted = aceptado
shop-voucher-refused = no aceptado
shop-voucher-unknown = Este código no existe.
shop-voucher-not_started = Todavía no es válido.
shop-voucher-expired = Ya no es válido.
shop-voucher-exhausted = No le quedan usos.
shop-voucher-not_for_these_items = Es para otros cursos.
shop-voucher-currency = Es para otra moneda.
shop-checkout = Finalizar la compra
shop-sign-in-hint = con una cuenta, tus cursos están disponibles al momento.
shop-email = Correo electrónico
shop-email-hint = Enviamos ahí tu recibo; tus cursos están en la cuenta con esa dirección.
shop-billing = Dirección de facturación
shop-pay-by-invoice = Pagar con factura, como empresa
shop-invoice-company = Para pagar con factura, indica la empresa y el NIF con el que el vendedor la conoce.
shop-invoice-sent = La factura te llegará por correo.
shop-optional = (si la necesitas en la factura)
shop-address-needed = (el pago necesita los campos con *)
shop-field-name = Nombre
shop-field-company = Empresa
shop-field-tax_id = NIF
shop-field-line1 = Calle
shop-field-city = Ciudad
shop-field-postal_code = Código postal
shop-field-state = Provincia
shop-field-country = País
shop-consents = Antes de comprar
shop-consents-missing = Con esta dirección hay algo más que aceptar. Revisa lo que se indica abajo.
shop-terms = Leer las condiciones de venta
shop-consent-terms = Acepto las condiciones de venta.
shop-consent-begin_now = Quiero empezar de inmediato, antes de que termine el plazo de desistimiento.
shop-consent-loses_right = Sé que con ello pierdo mi derecho de desistimiento.
shop-take = Obtener los cursos
shop-buy-for = Comprar por { $amount }
shop-buy-hint = Se paga en la página siguiente. Los datos de tu tarjeta nunca llegan a esta tienda.

## Payment

shop-payment = Pago
shop-leaving = Se paga en la página del proveedor
shop-leaving-hint = Se abre sola. Después vuelves aquí, a tu pedido.
shop-leave = Ir ahora
shop-pay-unavailable = No se puede contactar con el proveedor de pagos.
shop-pay-kept = Tu pedido se conserva y no se ha cobrado nada. Inténtalo de nuevo, o vuelve atrás y elige otra forma.
shop-pay-again = Volver a intentarlo

## Orders

shop-order-title = Tu pedido
shop-order-number = Pedido
shop-orders-title = Tus pedidos
shop-orders-none = Todavía no tienes pedidos
shop-orders-none-hint = Aquí aparece lo que compras, con sus facturas.
shop-timeline = Progreso del pedido
shop-step-placed = Pedido
shop-step-paid = Pagado
shop-step-access = Acceso
shop-step-receipt = Recibo
shop-step-invoice = Factura
shop-step-waiting = a la espera del proveedor
shop-step-transfer = a la espera de tu transferencia
shop-step-closed = sin pagar
shop-step-account = en la cuenta con tu dirección, en cuanto exista
shop-step-enrolled = ya tienes acceso a tus cursos
shop-step-seats = puedes repartir las plazas
shop-step-working = un momento, por favor
shop-step-refused = la plataforma lo rechazó; la organización lo revisa
shop-step-ended = terminado
shop-step-mail = en tu correo
shop-enrollment-none = todavía no
shop-enrollment-enrolled = inscrito
shop-enrollment-pending_registration = a la espera de una cuenta
shop-enrollment-removed = terminado
shop-enrollment-refused = rechazado por la plataforma
shop-refund = Pedir el reembolso
shop-refund-until = hasta el { $date }
shop-refunded = { $amount } reembolsados
shop-documents = Facturas y facturas rectificativas
shop-next = Qué pasa ahora
shop-next-mail = El recibo está en tu correo.
shop-next-account = Inicia sesión con esa dirección para ver el pedido en tu cuenta.

## Seats

shop-seats-title = Tus plazas
shop-seats-none = No has comprado plazas
shop-seats-none-hint = Puedes comprar plazas para otras personas en cualquier curso de pago.
shop-seats-manage = Gestionar las plazas
shop-seats-mail = El enlace de tu correo abre las plazas.
shop-seats-left = { PLURAL($left) ->
    [one] Queda { $left } plaza de { $seats }
   *[other] Quedan { $left } plazas de { $seats }
}
shop-batch = Resultado de cada dirección
shop-batch-waiting = Esta página se actualiza hasta terminar con todas las direcciones.
shop-assigned = Quién tiene una plaza
shop-assigned-none = Nadie todavía.
shop-seat = Plaza
shop-seat-pending = a la espera de una cuenta
shop-seat-enrolled = inscrito
shop-seat-ended = retirada
shop-take-back = Retirar
shop-remind = Recordar a quienes no se han registrado
shop-reminded = { PLURAL($count) ->
    [one] { $count } recordatorio está en camino.
   *[other] { $count } recordatorios están en camino.
}
shop-reminded-recently = { PLURAL($count) ->
    [one] { $count } dirección recibió un mensaje en el último día y hoy no recibe otro.
   *[other] { $count } direcciones recibieron un mensaje en el último día y hoy no reciben otro.
}
shop-reminded-none = No se ha enviado ningún recordatorio: ninguna plaza está a la espera de un registro.
shop-taken-back-free = La plaza se ha retirado. Puedes dársela a otra persona.
shop-taken-back-spent = La plaza se ha retirado y el acceso ha terminado. Estaba en uso, así que no se puede volver a asignar.
shop-taken-back-none = No ha cambiado nada: esta dirección no tiene ninguna plaza.
shop-row-repeated = aparece dos veces en la lista
shop-row-used-up = no quedan plazas
shop-row-address = no es una dirección a la que se pueda escribir
shop-row-refused = no recibió ninguna plaza
shop-assign = Asignar plazas
shop-assign-emails = Direcciones de correo, una por línea
shop-assign-do = Asignar
shop-code = Código:
shop-code-hint = Cada persona puede ocupar una plaza si compra este curso con el código como cupón.

## Faults

shop-fault-missing = Esta página no existe
shop-fault-hint-missing = Puede haber cambiado de sitio, o la dirección tiene un error.
shop-fault-busy = Demasiados intentos
shop-fault-hint-busy = Inténtalo de nuevo en un minuto.
shop-fault-unavailable = No ha funcionado
shop-fault-hint-unavailable = Un servicio que necesitamos no responde. No se ha perdido nada: inténtalo de nuevo en un momento.
shop-fault-foreign = Ese formulario venía de otro sitio
shop-fault-hint-foreign = Solo las páginas de esta tienda pueden enviar sus formularios. Vuelve a abrir la página aquí y envía el formulario desde ella.
shop-fault-unreadable = No se ha podido leer
shop-fault-hint-unreadable = Algo en la dirección o en el formulario no es correcto. Vuelve atrás e inténtalo de nuevo.
shop-fault-refused = No ha funcionado
shop-fault-hint-refused = Vuelve atrás, revisa lo que has introducido e inténtalo de nuevo.
shop-fault-hint-link = Los enlaces de los correos funcionan durante un tiempo limitado. Inicia sesión con la dirección a la que se envió, o pide un enlace nuevo a la organización.
shop-to-basket = Volver a la cesta

### The course platform's catalog

slot-buy-certificate = Comprar el certificado
slot-buy-course = Comprar el curso
slot-sold-out = Agotado
slot-certificate-sold-out = Certificado: agotado
slot-tax-rate = impuesto del { $rate } incluido
slot-tax-included = impuesto incluido
slot-tax-excluded = más impuesto
slot-price-before = Precio antes del descuento:
slot-price-now = Precio:
slot-program = Programa { $name }:
