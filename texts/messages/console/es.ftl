# Spanish. Address the reader as tú.

### Every page

## The frame of each page

console-title = Consola
console-skip = Ir al contenido
console-desk = atención al cliente
console-search = Buscar
console-search-for = Dirección, nombre, empresa, pedido, referencia, curso, código
console-other-shop = Otra tienda
console-sign-out = Cerrar sesión
console-zone = Los días y las horas son los de { $zone }.

## Links below a long list

console-pages = Páginas
console-previous = Anterior
console-page = Página { $n }
console-next = Siguiente

## Moments and times: { $time } is a date with its time of day, such as Jan 31, 2030, 12:00

console-age-now = desde hace menos de un minuto
console-age-minutes = { PLURAL($n) ->
    [one] desde hace { $n } minuto
   *[other] desde hace { $n } minutos
}
console-age-hours = { PLURAL($n) ->
    [one] desde hace { $n } hora
   *[other] desde hace { $n } horas
}
console-age-days = { PLURAL($n) ->
    [one] desde hace { $n } día
   *[other] desde hace { $n } días
}
console-since = desde el { $date }

## Words that are headings of columns, names of fields, or buttons

console-action = Acción
console-address = Dirección
console-addresses = Direcciones
console-amount = Importe
console-budget = Presupuesto
console-buyer = Comprador
console-campaign = Campaña
console-change = Modificar
console-code = Código
console-course = Curso
console-courses = Cursos
console-filter = Filtrar
console-mode = Modalidad
console-note = Nota
console-order = Pedido
console-orders = Pedidos
console-placed = Realizado el
console-price = Precio
console-reason = Motivo
console-refunded = Reembolsado
console-row = Fila
console-rows = Filas
console-save = Guardar
console-status = Estado
console-tax = Impuesto
console-total = Total
console-url = URL
console-uses = Usos
console-uses-in-all = Usos en total
console-uses-by-one = Usos por comprador
console-takes-off = Descuento
console-taken-off = Descontado
console-valid-from = Válido desde
console-valid-until = Válido hasta
console-no-end = sin caducidad
console-no-limit = sin límite
console-ended = finalizado
console-of = { $part } de { $whole }
console-last-30-days = Últimos 30 días

## What several pages say

console-will-happen = Qué ocurrirá
console-on-record = Queda registrado a tu nombre, { $name }.
console-show-first = Ver qué ocurrirá
console-ask-platform = Volver a pedirlo a la plataforma de cursos
console-look-again = Actualizar
console-progress = Progreso
console-done-of = Hecho: { $done } de { $total }.
console-done-and-failed = Hecho: { $done } de { $total }; con error: { $failed }.

### Stored words, each as a tag or in a column

## Status of an order


## Status of a person's access to a course

access-status-enrolled = inscrito
access-status-pending-registration = a la espera del registro
access-status-removed = retirado
access-status-refused = rechazado
access-status-cancelled = cancelado
access-status-none = ninguno

## Status of a payment

payment-status-created = creado
payment-status-processing = en proceso
payment-status-succeeded = completado
payment-status-failed = fallido
payment-status-cancelled = cancelado
payment-status-superseded = sustituido
payment-status-refunded = reembolsado

## Status of a refund

refund-status-asked = solicitado
refund-status-accepted = aceptado
refund-status-succeeded = completado
refund-status-failed = fallido

## Status of a dispute at the buyer's bank

dispute-status-open = abierta
dispute-status-won = ganada
dispute-status-lost = perdida

## Status of a withdrawal, which a buyer has declared

withdrawal-status-received = pendiente
withdrawal-status-unmatched = sin pedido que coincida
withdrawal-status-accepted = aceptado
withdrawal-status-refused = rechazado

## Status of a row of a batch, and of the batch

row-status-waiting = pendiente
row-status-done = hecha
row-status-failed = fallida
batch-status-running = en curso
batch-status-done = terminado

## Status of a seat that an address has

seat-status-pending = a la espera del registro
seat-status-enrolled = inscrito
seat-status-ended = terminada

## Status of a voucher's use: given back if the order ended unpaid

use-status-held = a la espera del pago
use-status-used = usado
use-status-released = devuelto
use-status-late = pagado tarde

## Status of an event's delivery to an endpoint

delivery-status-waiting = pendiente
delivery-status-delivered = entregado
delivery-status-given-up = abandonado

## What a row of a batch does

action-enroll = inscribir
action-unenroll = dar de baja

## What a voucher takes off: a whole seat in a course, if it is the code of a pool of seats

voucher-kind-percent = porcentaje
voucher-kind-amount = importe
voucher-kind-seat = plaza

## Movements of money, in reports

movement-captured = pago
movement-refunded = reembolso
movement-refund-failed = reembolso fallido
movement-chargeback = contracargo
movement-chargeback-reversed = contracargo revertido
movement-moved = traslado
movement-fee = comisión
movement-payout = liquidación

## Documents

document-kind-invoice = factura
document-kind-credit-note = factura rectificativa
document-status-requested = solicitado
document-status-issued = emitido
document-status-refused = rechazado
document-status-cancelled = anulado

## Mails to buyers and learners; also in sentences, as in The mail “receipt” was sent.

mail-kind-receipt = recibo
mail-kind-invoice = factura
mail-kind-invoice-cancelled = factura anulada
mail-kind-invoice-corrected = factura corregida
mail-kind-access-moved = traslado
mail-kind-transfer-requested = cómo pagar
mail-kind-document-again = enlace al documento
mail-kind-document-follows = documento enviado después
mail-kind-refund-issued = reembolso
mail-kind-registration-invitation = invitación
mail-kind-seats-ready = plazas
mail-kind-seat-assigned = plaza
mail-kind-withdrawal-received = desistimiento recibido
mail-kind-withdrawal-refused = desistimiento rechazado

## What of an order the text of a search was

found-by-order = pedido
found-by-payment = pago
found-by-refund = reembolso
found-by-dispute = disputa
found-by-document = documento
found-by-reference = número de pedido del comprador
found-by-transfer = referencia del banco
found-by-course = curso
found-by-address = dirección
found-by-name = nombre
found-by-company = empresa
found-by-tax-id = NIF

## Roles of the staff

role-support = atención al cliente
role-finance = finanzas
role-manager = responsable

### The start page: what needs a person, and figures

start-title = Inicio
start-heading = Requiere atención
start-nothing = No tienes nada pendiente.
start-decide = Decidir…
start-decide-text = Si se vuelve a procesar, el mensaje hace lo que antes no pudo. Si se descarta, desaparece para siempre y lo que debía hacer no ocurre.
start-process-again = Volver a procesar
start-drop = Descartar para siempre
start-mail-again = Reenviar el correo
start-open-withdrawal = Abrir el desistimiento
start-open-invoice = Abrir la solicitud de factura
start-open-events = Abrir los eventos
start-open-order = Abrir el pedido
start-open-person = Abrir la ficha de la persona
start-today = Hoy
start-paid = Pagado
start-orders = { PLURAL($n) ->
    [one] { $n } pedido
   *[other] { $n } pedidos
}
start-no-money = No se ha movido dinero desde medianoche.
owed-title = Por cobrar
owed-text = Pedidos cuya transferencia o factura aún no está pagada, empezando por los que vencieron antes.
owed-open = Pendiente
owed-overdue = Vencido
owed-how = Pago
owed-on-account = a crédito
owed-none = No hay nada por cobrar.
owed-pending-text = Pagos que el proveedor aún tramita, como las domiciliaciones, empezando por los pedidos más antiguos.
owed-until = Pedidos hechos hasta el final de { $month }.
owed-all = Mostrar todo
owed-placed = Pedido el
owed-at-provider = en el proveedor

## The chart of orders by day: { $up } were paid, { $down } ended unpaid; { $most } is the largest number of a day

start-chart = Pedidos de los últimos 30 días. Pagados: { $up }; terminados sin pagar: { $down }; máximo en un día: { $most }
start-chart-day = { $day } – pagados: { $up }; terminados sin pagar: { $down }
start-chart-up = pagados: { $n }
start-chart-down = terminados sin pagar: { $n }

## Tags: what waits for a person

waiting-kind-payment = pago
waiting-kind-notification = notificación
waiting-kind-access = acceso
waiting-kind-enrollment = inscripción
waiting-kind-refund = reembolso
waiting-kind-refund-to-pay = reembolso
waiting-kind-overdue = vencido
waiting-kind-invoice = factura
waiting-kind-document = documento
waiting-kind-withdrawal = desistimiento
waiting-kind-mail = correo
waiting-kind-endpoint = endpoint
waiting-kind-dead-letter = mensaje

## What waits for a person, and what to do about it

waiting-payment = El pago requiere una decisión. Lee el motivo, actúa y después cierra la alerta.
waiting-notification = La notificación del proveedor contradice lo registrado. Compárala con el panel del proveedor.
waiting-access = El pedido está pagado, pero sus cursos todavía no están abiertos.
waiting-enrollment = La plataforma de cursos ha rechazado la inscripción. Corrige allí la causa y vuelve a intentarlo aquí.
waiting-refund = El proveedor todavía no ha respondido al reembolso. Se le vuelve a preguntar automáticamente.
waiting-refund-to-pay = Paga el reembolso desde tu banco. Indica después que ha llegado o que ha vuelto.
waiting-overdue = El dinero ha vencido y no ha llegado. Recuérdaselo al comprador, registra lo que haya llegado o cancela el pedido.
waiting-invoice = Atención al cliente pide una factura corregida, con la que se devuelve el impuesto. Confírmala o recházala.
waiting-document = Otro sistema no ha emitido el documento desde hace un día. Pregunta allí o comunica lo que dice.
waiting-withdrawal = Un comprador ha desistido. Acepta el desistimiento, devuelve una parte o recházalo con un motivo; el plazo para reembolsar es de 14 días desde la declaración.
waiting-mail = El mensaje no ha llegado. Corrige la dirección o reenvíalo.
waiting-endpoint = Los eventos ya no se entregan en esta dirección. Corrige el receptor y después actívala.
waiting-dead-letter = No se ha podido procesar un mensaje. Corrige la causa y haz que se vuelva a procesar; descártalo solo si no debe ocurrir nada.

### Where do you work: for a person on the staff of several shops

choose-title = ¿Dónde trabajas hoy?
choose-hello = Hola, { $name }. Formas parte del equipo de estas organizaciones.

### What a search has found

search-results = Resultados de «{ $text }»
search-short = Escribe al menos 2 caracteres: una dirección, parte del nombre o de la empresa de una factura, su NIF, un pedido, el número de un documento, el número de pedido del comprador, la referencia de una transferencia, de tu banco o de un proveedor, el código de un cupón o el nombre o identificador de un curso.
search-none = Nada de { $organisation } coincide con esto. Prueba con la dirección completa o con al menos tres letras del nombre o de la empresa de la factura. Los pedidos de otras tiendas no se muestran aquí.
search-voucher = cupón
search-course = curso
search-found-by = Encontrado por
search-more = Hay más resultados. Añade texto para acotar la búsqueda.

### An order

order-title = Pedido de { $email }
order-placed = realizado el { $date }
order-former-shop = Vendido por { $shop } antes de traerlo aquí: es un registro sin acciones. Los reembolsos y recibos se piden allí.
order-former-shop-account = Vendido por { $shop } antes de traerlo aquí. Se pagó con la cuenta de { $provider } que se usa aquí, así que se puede reembolsar aquí. Los recibos se piden allí.
order-alert = El pago requiere una decisión
order-alert-done = Qué se ha hecho al respecto
order-alert-close = Cerrar la alerta
order-bought = Compra
order-lines = Líneas
order-line = Línea
order-access = Acceso
order-seats = { PLURAL($n) ->
    [one] { $n } plaza
   *[other] { $n } plazas
}
order-gift = Regalo
order-gift-given = Entregado el { $date }
order-gift-planned = Para el { $date }
order-is-moving = en traslado a { $course }
order-is-moving-to-person = en traslado a otra persona
order-moved = trasladado a { $course }
order-moved-to-person = trasladado a otra persona
order-total-with-voucher = Total con { $code }

## Refund

order-refund = Reembolsar…
order-refund-text = Marca arriba las líneas que quieras reembolsar y cuyo acceso deba terminar; si no marcas ninguna, se reembolsa todo el pedido. La página siguiente muestra qué ocurrirá antes de que ocurra nada.
order-refund-amount = Importe, si es menor
order-refund-all-left = todo lo que queda
order-refund-keep = Cortesía: devolver el importe sin terminar ningún acceso

## Move

order-move = Trasladar…
order-move-text = La línea da acceso a otro curso, o da su acceso a otra persona. No se mueve dinero y la factura queda como está. La página siguiente muestra lo que ocurrirá.
order-move-course = Al curso
order-move-person = A la persona con la dirección

## Access: what the course platform says about it

order-withdrawals = Desistimientos
order-platform-agrees = la plataforma de cursos lo confirma
order-platform-refused = la plataforma de cursos lo ha rechazado
order-platform-waits = la plataforma de cursos espera a que la persona se registre
order-platform-not-yet = la plataforma de cursos todavía no lo ha confirmado
order-access-ended = terminado el { $date }:

## Money, mails and documents

order-money-back = Reembolsos y disputas
order-refund-to-pay = Devuelve el importe desde tu banco e indica después qué ocurrió.
order-refund-arrived = El dinero ha llegado
order-refund-back = El dinero ha vuelto
order-dispute = { $amount } en disputa con el banco
order-payment = Pago
order-transfer = Transferencia bancaria
order-transfer-reference = Referencia de pago
order-transfer-due = Vence
order-transfer-open = Queda por pagar
order-payment-book = Registrar un pago…
order-payment-text = Registra lo que muestra tu banco. Cuando hayan llegado los { $amount } completos, se abren los cursos y el comprador recibe el recibo.
order-payment-day = Día en el banco
order-payment-reference = Referencia del banco
order-payment-submit = Registrar este pago
order-payment-is-back = devuelto
order-payment-return-text = Devuelve primero { $amount } desde tu banco. Después deja de contar.
order-payment-return = Se ha devuelto
order-payment-end = Terminar el pedido…
order-payment-end-text = No ha llegado dinero para él. Su cupón y sus plazas quedan libres para otros. Si al final llega una transferencia, se acepta y se avisa.
order-payment-end-submit = Terminar este pedido
order-document-report = Comunicar el resultado…
order-document-text = Comunica lo que dice el otro sistema.
order-document-number = Número
order-document-day = Fecha del documento
order-document-total = Total
order-document-authority = Sistema de la administración
order-document-qr = Contenido del código QR
order-document-issued = Se emitió
order-document-refused = Se rechazó
order-document-cancel = { $number } se anuló…
order-document-cancel-text = Solo si se anuló donde se había emitido. El pedido queda sin ese documento hasta que se vuelva a solicitar.
order-document-cancelled = Se anuló
order-document-anew = Volver a solicitarlo
order-invoice-on-account = A crédito: la factura se emitió antes del pago.
order-invoice-overdue = Vencida
order-invoice-cancel = Anular la factura…
order-invoice-cancel-text = No ha llegado dinero para ella. Una factura rectificativa anula la factura y termina el acceso. Devuelve una transferencia que llegue después.
order-invoice-cancel-submit = Anular esta factura
order-reverse-charge-applied = Inversión del sujeto pasivo: VIES confirmó el NIF-IVA, con el número de consulta { $number }.
order-reverse-charge-invalid = Se cobró el impuesto: VIES no conoce el NIF-IVA.
order-reverse-charge-unavailable = Se cobró el impuesto: VIES no respondió si el NIF-IVA es válido.
order-provider = Proveedor
order-reference = Referencia
order-at-bank-since = En trámite en el banco desde
order-disputed = Disputado el
order-mails = Correos y documentos
order-mail = { $mail } a { $email }
order-mail-failed = fallido
order-mail-waits = pendiente
order-mail-sent = enviado
order-mail-deferred = aplazado por el servidor
order-mail-delivered = entregado
order-mail-again = Reenviar
order-no-mails = No hay nada pendiente. Los correos enviados están en el historial.
order-receipt-again = Reenviar el recibo a { $email }
order-invoice-again = Reenviar la factura a { $email }
order-invoice-correct = Corregir la factura …
order-invoice-asked = Se ha pedido a finanzas una factura corregida
order-invite-again = Enviar otra vez la invitación a { $email }
order-correct-address = Corregir la dirección…
order-correct-address-text = Para quien compró sin iniciar sesión y la escribió mal. Lo que espera a { $email } pasa a la nueva dirección, que recibe una invitación a registrarse si no tiene cuenta. La factura queda como está.
order-right-address = Dirección correcta
order-correct-address-submit = Pasar el pedido a esta dirección

## The history: each entry is a sentence, and who did it

order-history = Historial
order-by = por { $name }
timeline-by-system = el sistema
timeline-by-client = la tienda
timeline-by-guest = el comprador, sin iniciar sesión
timeline-by-learner = el comprador, con sesión iniciada
timeline-by-provider = el proveedor de pagos
timeline-by-staff = alguien del equipo (cuenta { $id })
timeline-by-operator = { $name } (operador)
timeline-by-key = la clave { $id } de la organización

timeline-cart-open = Se empezó la cesta.
timeline-cart-placed = Se hizo el pedido.
timeline-cart-pending-payment = Se hizo el pedido, a la espera del pago.
timeline-cart-held = Se hizo el pedido; sus cursos se abren en cuanto la dirección se registre.
timeline-cart-paid = El pedido está pagado.
timeline-cart-fulfilled = El pedido está completo: se concedió el acceso.
timeline-cart-cancelled = El pedido se canceló.
timeline-cart-expired = El pedido caducó sin pagar.
timeline-cart-refunded = El pedido ha terminado: se devolvió todo el dinero.
timeline-cart-invoice-corrected = Se corrigió el comprador de la factura.
timeline-cart-document-issued = Se comunicó que un documento se había emitido.
timeline-cart-document-refused = Se rechazó un documento.
timeline-cart-document-cancelled = Se anuló un documento donde se había emitido.
timeline-cart-document-replaced = Se volvió a solicitar un documento rechazado o anulado.
timeline-cart-invoice-asked = Se pidió a finanzas una factura corregida.
timeline-cart-invoice-refused = Finanzas rechazó la factura corregida.
timeline-cart-invoice-paid = La factura se pagó.
timeline-cart-restored = Se restableció el acceso.
timeline-cart-access-blocked = El acceso espera a una persona.
timeline-cart-access-restored = Ha vuelto el acceso en el que se basa este pedido, así que se concedió.
timeline-cart-mail-sent = Se envió el correo «{ $mail }».
timeline-cart-mail-again = Se reenvió el correo «{ $mail }».
timeline-cart-move-asked = Se solicitó un traslado de { $from } a { $to }.
timeline-cart-move-withdrawn = Se retiró el traslado a { $to }.
timeline-cart-moved = El acceso pasó de { $from } a { $to }.
timeline-cart-moved-to-person = El acceso a { $to } pasó a otra persona.
timeline-cart-address-corrected = Se corrigió la dirección del comprador.
timeline-alert-closed = Se cerró la alerta: { $alert }.
timeline-transaction-created = Se preparó el pago.
timeline-transaction-processing = El pago se inició en el proveedor.
timeline-transaction-succeeded = El pago llegó.
timeline-transaction-failed = El pago falló.
timeline-transaction-cancelled = El pago se canceló.
timeline-transaction-superseded = Otro intento sustituyó al pago.
timeline-transaction-refunded = El pago se reembolsó por completo.
timeline-transaction-partly-refunded = Del pago se han reembolsado { $refunded } en total.
timeline-transaction-lost = El banco recuperó { $lost } del pago.
timeline-transaction-held = Una disputa retiene { $lost } del pago.
timeline-transaction-refunded-and-lost = Del pago se han reembolsado { $refunded } y el banco recuperó { $lost }.
timeline-transaction-nothing-back = Ya no hay nada reembolsado ni recuperado del pago.
timeline-transaction-charged = El proveedor cobró un importe distinto del importe del pedido.
timeline-transaction-received = Llegaron { $amount } al banco.
timeline-transaction-returned = Se devolvieron { $amount } desde el banco.
timeline-transaction-event-applied = Se aplicó una notificación que contradecía los datos.
timeline-refund-asked = Se solicitó un reembolso.
timeline-refund-accepted = El proveedor aceptó el reembolso.
timeline-refund-succeeded = El reembolso se ha completado.
timeline-refund-failed = El reembolso falló.
timeline-withdrawal-objected = El titular de la dirección del pedido dijo que el desistimiento no es suyo.
timeline-withdrawal-received = Se declaró un desistimiento.
timeline-withdrawal-unmatched = Se declaró un desistimiento con otra dirección.
timeline-withdrawal-accepted = Se aceptó el desistimiento.
timeline-withdrawal-refused = Se rechazó el desistimiento.
timeline-the-course = El curso
timeline-enrollment-enrolled = { $course }: acceso concedido.
timeline-enrollment-pending-registration = { $course }: a la espera de que la dirección se registre.
timeline-enrollment-removed = { $course }: acceso terminado.
timeline-enrollment-synced = { $course }: la plataforma de cursos lo confirma.
timeline-enrollment-refused = { $course }: la plataforma de cursos lo rechazó.
timeline-enrollment-retried = { $course }: se vuelve a intentar la inscripción.
timeline-notification = El proveedor comunicó { $what }.
timeline-dispute-open = El banco del comprador abrió una disputa, que ahora está abierta.
timeline-dispute-won = El banco del comprador abrió una disputa, que ahora está ganada.
timeline-dispute-lost = El banco del comprador abrió una disputa, que ahora está perdida.
timeline-became = { $what }: { $from } pasó a { $to }.
timeline-other = { $what }: { $to }.

### A withdrawal of an order: on the order's page, and on a page of its own

decide-declared = declarado el { $date } por { $email }
decide-no-proof = sin prueba
decide-lines = { PLURAL($n) ->
    [one] { $n } línea
   *[other] { $n } líneas
}
decide-no-line = ninguna línea
decide-decided = decidido el { $date }
decide-waits = a la espera de una persona:
decide-judged = se evalúa automáticamente; próxima vez: { $date }
decide-objected = El titular de la dirección del pedido dijo el { $date } que no es suyo.
decide-accept = Aceptar…
decide-accept-text = Se devuelve al comprador todo lo que queda de las líneas declaradas y termina el acceso a ellas. El comprador recibe un correo.
decide-reason-optional = Motivo, que ve el comprador; puede quedar vacío
decide-accept-submit = Devolver todo lo que queda y terminar el acceso
decide-part = Devolver una parte…
decide-part-text = Para un servicio que ya había empezado: se devuelve este importe al comprador y termina el acceso a las líneas declaradas. El comprador recibe un correo.
decide-part-submit = Devolver este importe y terminar el acceso
decide-refuse = Rechazar…
decide-refuse-text = No se devuelve nada y el acceso se mantiene. El comprador recibe un correo con tu motivo y puede volver a declarar las líneas.
decide-refuse-submit = Rechazar el desistimiento
decide-close = Cerrar…
decide-close-text = No se envía ningún correo: quien lo declaró puede ser un desconocido. Si has encontrado el pedido al que se refiere, reembólsalo allí primero.
decide-close-submit = Cerrar el desistimiento

## The page of its own

withdrawal-title = Desistimiento de { $name }
withdrawal-heading = Desistimiento
withdrawal-declared-what = Qué se declaró
withdrawal-order-named = Pedido, tal como se indicó
withdrawal-name = Nombre
withdrawal-declared = Declarado el
withdrawal-decision = Decisión

### Before a refund: { $provider } is the payment provider, such as Stripe

refund-title = ¿Reembolsar?
refund-heading = ¿Reembolsar este pedido?
refund-order = Pedido de { $email }: { $total }, de los que ya se han reembolsado { $refunded }.
refund-amount = El comprador recibe de vuelta { $amount } a través de { $provider }.
refund-all = El comprador recibe de vuelta todo lo que queda de { $total } a través de { $provider }.
refund-lines = El comprador recibe de vuelta todo lo que queda de las líneas marcadas, { $amount }, a través de { $provider }.
refund-lines-with-tax = El comprador recibe de vuelta todo lo que queda de las líneas marcadas, { $amount } más el impuesto que se haya cobrado aparte, a través de { $provider }.
refund-access-stays = Todo el acceso se mantiene.
refund-access-ends = El acceso a { $item } termina en cuanto el proveedor acepte, salvo que el alumno haya obtenido un certificado.
refund-own = Tu organización paga el dinero desde su banco y después indica aquí que ha llegado.
refund-access-ends-now = El acceso a { $item } termina de inmediato, salvo que ya se haya obtenido un certificado.
refund-mail = { $email } recibe un correo sobre el reembolso.
refund-no-mail = Desde aquí no se envía ningún correo a quien compró, porque el pedido lo vendió otra tienda.
refund-mail-with-credit-note = { $email } recibe un correo sobre el reembolso con una factura rectificativa.
refund-needs-amount = Una cortesía necesita un importe. Vuelve atrás e introdúcelo.
refund-reason = Motivo, que también ve el comprador
refund-despite-dispute = Reembolsar aunque el banco tenga una disputa abierta y pueda devolver al comprador ese mismo dinero
refund-taken = Las disputas se han llevado { $lost }, que no se pueden reembolsar.
refund-back = Volver sin reembolsar
refund-submit-all = Reembolsar todo lo que queda y terminar el acceso
refund-submit = Reembolsar { $amount } y terminar el acceso
refund-submit-keep = Reembolsar { $amount }

### A correction of the buyer on an invoice

invoice-title = Corregir la factura
invoice-buyer = Comprador en la factura
invoice-asked = Atención al cliente pidió este comprador el { $date }. Con ello se devuelve el impuesto al comprador.
invoice-happens = Una factura rectificativa anula la factura, y una nueva nombra a este comprador.
invoice-mail = { $email } recibe la nueva factura por correo.
invoice-tax = Si es una empresa de otro Estado miembro de la UE y VIES confirma su NIF-IVA, se devuelve el impuesto.
invoice-tax-asked = Si es una empresa de otro Estado miembro de la UE y VIES confirma su NIF-IVA, hay que devolver el impuesto: entonces se pregunta a finanzas, que corrige la factura.
invoice-back = Volver sin corregir nada
invoice-submit = Corregir la factura y enviarla
invoice-refuse = Rechazar lo que pide atención al cliente
buyer-company = Empresa
buyer-tax-id = NIF
buyer-name = Nombre
buyer-line1 = Calle
buyer-line2 = Complemento
buyer-postal-code = Código postal
buyer-city = Ciudad
buyer-state = Provincia
buyer-country = País, dos letras

### Before a move: { $name } is the course of the line

move-title = ¿Trasladar?
move-heading = ¿Trasladar esta línea?
move-line-number = línea { $position }
runs-heading = ¿Adónde se traslada { $name }?
runs-line = { $name }, { $mode }, comprado por { $price }.
runs-choose = Trasladar a { $name } …
runs-same-course = otra edición
runs-none = Ningún otro curso está a la venta en esta modalidad, o el comprador ya lo tiene.
runs-person = O a otra persona
move-is-moving = Se está trasladando a { $course }.
move-is-moving-to-person = Se está trasladando a { $course }, a otra persona.
move-was-moved = Se trasladó a { $course }.
move-was-moved-to-person = Se trasladó a { $course }, a otra persona.
move-access-now = Quién tiene acceso ahora por este pedido:
move-to-course = La línea da acceso a { $course } en lugar del curso actual.
move-other-price = Cuesta { $price }, y la línea { $paid }: marca abajo que no se cobra ni se reembolsa nada.
move-to-person = La línea pasa su acceso a { $email }, que recibe una invitación a registrarse si no hay ninguna cuenta con esta dirección.
move-old-access = El acceso actual se mantiene hasta que la plataforma de cursos confirme el nuevo, y entonces termina. Si la plataforma lo rechaza, se mantiene, y el rechazo aparece en la lista de lo que requiere atención.
move-earlier = Si la plataforma ha rechazado un traslado anterior de esta línea, o su dirección no se ha registrado, ese traslado se retira.
move-money = No se mueve dinero. La factura queda como está; un reembolso posterior de la línea termina el nuevo acceso.
move-certificate = Si la persona que tiene ahora el acceso ha obtenido un certificado, no ocurre nada.
move-mail = { $email } recibe un correo cuando el traslado esté hecho.
move-reason = Motivo, para el registro
move-waive = Trasladar aunque el precio sea distinto; no se cobra ni se reembolsa nada
move-back = Volver sin trasladar
move-submit = Trasladar { $name } a { $to }

### A person: an address with its orders, courses and seats

person-download = Descargar lo que { $organisation } tiene de esta persona
person-download-help = En JSON, para quien lo solicite.
person-no-orders = No hay pedidos con esta dirección en { $organisation }. Puede que la persona comprara con otra: busca el nombre de la factura.
person-no-courses = No se ha abierto ningún curso de { $organisation } para esta dirección.
person-seats = Plazas que esta dirección gestiona o tiene
person-seats-taken = ocupadas: { $used } de { $seats }
person-seats-bought = compradas el { $date }

### Payouts

payouts-title = Liquidaciones
payouts-text = Lo que el proveedor de pagos ha transferido a tu banco y lo que incluye cada liquidación. Se consulta cada hora.
payouts-refused = { $gateway } no muestra las liquidaciones a la clave de tu cuenta. Consulta a quien opera este servicio.
payouts-unread = Las liquidaciones de { $gateway } aún no se han consultado.
payouts-made = Emitida el
payouts-bank = En el banco
payouts-payments = Pagos
payouts-refunds = Reembolsos
payouts-disputes = Disputas
payouts-fees = Comisiones
payouts-rest = Otros
payouts-difference = diferencia
payouts-not-read = Su contenido aún no se ha consultado.
payouts-not-itemised = El proveedor no indica qué incluye.
payouts-none = No hubo liquidaciones en este período. Elige otro.
payouts-csv = Descargar las liquidaciones en CSV
payouts-xlsx = Liquidaciones en XLSX
payouts-movements = Movimientos de las liquidaciones
payouts-movements-csv = Movimientos en CSV
payouts-movements-xlsx = Movimientos en XLSX
payout-status-pending = pendiente
payout-status-paid = pagada
payout-status-failed = fallida

### The month that finance closes

# A link at the top of each page, and the page on which finance closes a month
month-title = Cierre del mes
month-month = Mes
month-text = El dinero cuenta el día que indica el banco o el proveedor.
month-closed = cerrado
month-closed-by = Cerrado el { $date } por { $name }.
month-closed-with = Se cerró junto con { $month }.
month-open = El mes ha terminado y aún no está cerrado.
month-not-over = El mes se podrá cerrar después del { $day }.
month-provider = Proveedor
# In place of a provider: transfers that you take yourself
month-own-account = tu propia cuenta
# Headings: money that is with the provider before and after the month
month-opening = En el proveedor antes
month-paid-out = Liquidado
month-closing = Aún en el proveedor
month-no-opening = No se sabe cuánto había antes en el proveedor, porque no hay ningún mes cerrado en el año anterior.
month-adds-up = Cuadra: lo que había antes y todo lo que se ha movido suman lo que queda, y las liquidaciones coinciden.
month-gaps = Esto no cuadra:
# Behind an amount: why it does not add up
month-gap-other = movimientos de una liquidación que la contabilidad no conoce
month-gap-unknown-payment = pagos de una liquidación que no son pedidos de aquí
month-gap-other-currency = pagado en una moneda y liquidado en otra
month-gap-difference = diferencia entre una liquidación y sus movimientos
month-gap-unread = una liquidación cuyos movimientos no se consultaron en este mes, por lo que faltan sus comisiones
month-gap-closed = diferencia con el saldo con el que se cerró el mes
# Above amounts
month-unpaid = Por cobrar ahora
month-pending = En trámite ahora
month-documents = Documentos que faltan
month-documents-text = Pedidos pagados sin factura y reembolsos sin factura rectificativa. La mayoría se emiten en minutos; si algo permanece aquí, consulta a quien opera este servicio.
month-no-documents = No falta ningún documento.
month-late = Dinero tardío
month-late-text = Dinero que cuenta en este mes porque su propio mes ya estaba cerrado cuando se registró.
month-no-late = Nada llegó tarde.
# Below an amount: of how many it is the sum
month-number = Número: { $n }
month-close-text = Una vez cerrado, el mes queda como está, igual que todos los anteriores: lo que se registre después cuenta en un mes abierto. No se puede deshacer.
# A button
month-close = Cerrar { $month }

### Reports

reports-title = Informes
reports-from = Desde
reports-to = Hasta, inclusive
reports-by = Día que cuenta
reports-by-booked = el del registro
reports-by-received = el del banco o del proveedor
reports-show = Mostrar
reports-zone = Días de la zona horaria { $zone }.
# Before tags with what the page shows
reports-only = Solo:
reports-all = Mostrar todos los movimientos
reports-totals = Movimientos e impuestos
reports-movement = Movimiento
reports-taxed-in = Tributa en
reports-rate = Tipo
reports-number = Cantidad
reports-net = Base
reports-none = No se movió dinero en este período. Elige otro: los pagos cuentan el día en que el proveedor los comunicó.
reports-ledger = Libro de movimientos
reports-ledger-first = Libro de movimientos: los primeros { $n }
reports-booked = Registrado el
reports-received = Movimiento el
reports-document = Documento
reports-download-csv = Descargar el libro de movimientos en CSV
reports-download-json = En JSON
reports-download-xlsx = Libro de movimientos en XLSX
reports-taxes = Impuestos
reports-taxes-text = Facturas menos facturas rectificativas, por el día que indican.
reports-taxes-chargeback = Un contracargo retira dinero sin que le siga una factura rectificativa: los impuestos de aquí superan a los de los movimientos de arriba en el impuesto de los contracargos.
reports-country = País
reports-state = Estado
reports-category = Categoría
reports-documents = Documentos
reports-taxes-csv = Descargar los impuestos en CSV
reports-taxes-json = Impuestos en JSON
reports-taxes-days = Impuestos por día
reports-taxes-days-xlsx = Impuestos por día en XLSX
reports-taxes-payments-xlsx = Impuestos por día de pago en XLSX
reports-taxes-oss = Ventanilla única
reports-taxes-oss-xlsx = Ventanilla única en XLSX
reports-taxes-xlsx = Impuestos en XLSX
reports-taxes-none = No se emitió ninguna factura ni factura rectificativa en este periodo. Una organización sin datos de vendedor no emite ninguna.

reports-sum = Suma
column-seq = Número
column-at = Momento
column-day = Registrado el
column-kind = Movimiento
column-cart_id = Pedido
column-transaction_id = Pago
column-refund_id = Reembolso
column-amount = Importe
column-tax = Impuesto
column-currency = Moneda
column-gateway = Proveedor
column-provider_reference = Referencia del proveedor
column-region = País del comprador
column-list_price = Precio de lista
column-discounts = Descuentos
column-voucher_discount = Descuento del cupón
column-voucher = Cupón
column-campaign = Campaña
column-document_number = Documento
column-tax_country = Tributa en
column-tax_state = Estado del impuesto
column-tax_rate = Tipo impositivo (%)
column-language = Idioma
column-reference = Referencia del comprador
column-metadata = Metadatos
column-bank_day = Día del banco
column-bank_reference = Referencia del banco
column-tax_id = NIF
column-reverse_charge = Inversión del sujeto pasivo
column-country = País
column-state = Estado
column-rate = Tipo (%)
column-category = Categoría
column-net = Base
column-count = Documentos
column-payout = Liquidación
column-status = Estado de la liquidación
column-made_on = Emitida el
column-payments = Pagos
column-refunds = Reembolsos
column-disputes = Disputas
column-fees = Comisiones
column-returned = Liquidaciones devueltas
column-other = Otros
column-rounding = Redondeo
column-difference = Diferencia
column-fee_tax = Impuesto en las comisiones
column-movements = Movimientos
column-itemised = Desglosada
column-movement = Movimiento del proveedor
column-provider_kind = Tipo del proveedor
column-gross = Sin comisión
column-fee = Comisión
column-balance = Otro saldo
column-date = Día
column-buyer = Comprador
column-quarter = Trimestre
column-number = Número
tax-category-s = general
tax-category-z = tipo cero
tax-category-e = exento
tax-category-ae = inversión del sujeto pasivo
tax-category-o = no sujeto

### Vouchers

vouchers-title = Cupones
vouchers-whole-seat = una plaza completa
vouchers-none-found = Ningún cupón tiene este código y esta campaña. Deja un campo vacío para ver más.
vouchers-none = { $organisation } todavía no tiene cupones. Crea el primero aquí abajo.
vouchers-new = Crear cupones
vouchers-code-help = De 3 a 40 letras, cifras, - y _. Vacío: el servicio genera los códigos.
vouchers-count = Número de códigos
vouchers-count-help = Más de uno solo si no indicas un código propio.
vouchers-percentage = un porcentaje
vouchers-amount = un importe
vouchers-how-much = Cuánto
vouchers-courses-help = Un identificador de curso por línea, por ejemplo course-v1:Northwind+ENG101+2026. Vacío: todo lo que vende { $organisation }.
vouchers-new-submit = Crear los cupones

## One voucher

voucher-used = Usado el
voucher-not-used = Todavía no se ha usado.
voucher-terms = Condiciones
voucher-for = Válido para
voucher-courses = { PLURAL($n) ->
    [one] { $n } curso
   *[other] { $n } cursos
}
voucher-programs = { PLURAL($n) ->
    [one] { $n } programa
   *[other] { $n } programas
}
voucher-everything = todo
voucher-change-text = Cuánto descuenta, y sobre qué, queda como se prometió.
voucher-budget-in = Presupuesto en { $currency }
voucher-until-help = Vacío: sin caducidad.
voucher-end-text = Una vez finalizado, no descuenta nada en pedidos nuevos. Lo que se compró con él queda como está.
voucher-end = Finalizar { $code } ahora

## Its chart by day: { $up } uses of paid orders, { $down } that were given back; { $most } is the largest number of a day

voucher-chart = Usos de los últimos 30 días. Usados: { $up }; devueltos: { $down }; máximo en un día: { $most }
voucher-chart-day = { $day } – usados: { $up }; devueltos: { $down }
voucher-chart-up = usados: { $n }
voucher-chart-down = devueltos: { $n }

## The codes of vouchers, to be taken along

codes-title = Códigos
codes-heading = { PLURAL($n) ->
    [one] { $n } código
   *[other] { $n } códigos
}
codes-of-campaign = { PLURAL($n) ->
    [one] { $n } código de { $campaign }
   *[other] { $n } códigos de { $campaign }
}
codes-csv = Descargarlos como CSV
codes-copy = Para copiar
codes-back = Volver a los cupones
codes-take = Llevarse los códigos de esta campaña

### Seats: places in a course that somebody has bought for others

seats-title = Plazas
seats-pools = Paquetes de plazas
seats-item = Curso o programa
seats-bought = Comprado el
seats-taken = Ocupadas
seats-none = { $organisation } todavía no ha vendido plazas. Quien compra varias plazas de un curso recibe un paquete de plazas y las reparte a otras personas.

## One pool of seats

pool-taken = Plazas ocupadas: { $used } de { $seats }
pool-left = { PLURAL($n) ->
    [one] queda { $n }
   *[other] quedan { $n }
}
pool-code = código
pool-order = el pedido que las pagó
pool-batch = Las direcciones que enviaste
pool-holders = Quién tiene una plaza
pool-no-holders = Ninguna dirección tiene todavía una plaza. Introduce direcciones o comparte el código.
pool-mail-failed = El correo no llegó:
pool-take-back = Retirar la plaza…
pool-take-back-pending = La plaza vuelve a quedar libre y la invitación deja de ser válida.
pool-take-back-enrolled = { $email } pierde el acceso a { $item }. La plaza queda consumida.
pool-take-back-submit = Retirar la plaza de { $email }
pool-give = Asignar plazas a direcciones
pool-give-help = Una por línea, 500 como máximo. Quien tiene cuenta queda inscrito y recibe un aviso por correo; las demás direcciones reciben una invitación.
pool-give-submit = Asignar las plazas
pool-remind = Recordatorio
pool-remind-text = Envía un correo a las 100 direcciones que llevan más tiempo sin registrarse; a cada una, como máximo una vez al día.
pool-remind-submit = Recordar a quienes no se han registrado

### Batches of enrollments

batches-title = Lotes
batches-heading = Lotes de inscripciones
batches-submitted = Enviado el
batches-failed = Fallidas
batches-none = El equipo de { $organisation } no ha enviado ningún lote en los últimos 90 días.
batches-new = Inscribir o dar de baja muchas direcciones
batches-file = Archivo CSV
batches-file-help = Una columna email y, si las filas difieren, course_id, mode, action y language. Como máximo 5000 filas.
batches-paste = O pega las filas
batches-course = Curso de las filas que no indican ninguno
batches-mode = Modalidad de las filas que no indican ninguna
batches-show = Ver las filas
batches-nothing-yet = Todavía no se hace nada.

## Before a batch is submitted

rows-title = ¿Enviar?
rows-heading = { PLURAL($n) ->
    [one] ¿Enviar { $n } fila?
   *[other] ¿Enviar { $n } filas?
}
rows-good = { PLURAL($n) ->
    [one] Se procesará { $n } fila. Si se inscribe una dirección que no tiene cuenta, recibe una invitación.
   *[other] Se procesarán { $n } filas, una tras otra. Si se inscribe una dirección que no tiene cuenta, recibe una invitación.
}
rows-faulty = { PLURAL($n) ->
    [one] { $n } fila no se puede procesar por el motivo indicado abajo. Solo falla esa: corrígela en el archivo o déjala.
   *[other] { $n } filas no se pueden procesar por los motivos indicados abajo. Solo fallan esas: corrígelas en el archivo o déjalas.
}
rows-back = Volver sin enviar
rows-submit = { PLURAL($n) ->
    [one] Enviar { $n } fila
   *[other] Enviar { $n } filas
}
rows-some = Filas: { $shown } de { $total }, primero las erróneas
rows-fault = Error

## One batch

batch-title = Lote
batch-all-rows = Todas las filas
batch-failed-rows = Filas fallidas
batch-download-failed = Descargar las filas fallidas
batch-download-all = Descargar todas las filas
batch-result = Resultado
batch-none-failed = No ha fallado ninguna fila.
batch-no-rows = No hay filas en esta página.

### The catalog: what the shop sells

catalog-title = Catálogo
catalog-filter = Nombre o identificador del curso
catalog-intro = Los cambios llegan a la tienda en segundos. Los pedidos ya realizados conservan su precio. Una sincronización con la plataforma de cursos respeta lo que se fija aquí; una importación puede reemplazarlo.
catalog-not-published = sin publicar
catalog-in-no-list = fuera de las listas
catalog-on-sale = a la venta
catalog-no-mode-on-sale = ninguna modalidad a la venta
catalog-starts = empieza el { $date }
catalog-publish = Publicado: la tienda lo muestra y lo vende
catalog-hide = Fuera de las listas: solo lo encuentra quien tiene el enlace
catalog-sell = A la venta
catalog-save = Guardar lo que muestra la tienda
catalog-until = hasta el { $date }
catalog-from = desde el { $date }
catalog-price = Precio en { $currency }
catalog-save-mode = Guardar { $mode }
catalog-dated = Precios con plazo
catalog-dated-text = Se cobra el precio más bajo que esté vigente. Indica un precio o un porcentaje. Una fecha vacía no es un límite.
catalog-dated-name = Nombre, por ejemplo Compra anticipada
catalog-dated-percent = O descuento en porcentaje
catalog-dated-add = Añadir el precio con plazo
catalog-waiting-list = Lista de espera
catalog-waiting = En espera: { $waiting }; plaza ofrecida: { $offered }; compradas: { $bought }; caducadas o rechazadas: { $lapsed }.
catalog-first-email = Dirección de correo que será la siguiente
catalog-first = Poner en primer lugar
catalog-dated-remove = Quitar { $name }
catalog-no-mode = El curso no tiene modalidades, así que no se vende nada de él. Las modalidades vienen de la plataforma de cursos o de una importación.
catalog-none-found = Ningún curso de { $organisation } tiene esto en su nombre o identificador.
catalog-none = { $organisation } todavía no tiene cursos. Vienen de la plataforma de cursos o de una importación, que configura un operador.

### Events, and the endpoints (addresses of other programs) that receive them

events-title = Eventos
events-disabled = desactivado
events-failing = con fallos
events-enabled = activo
events-gets = Recibe { $types }.
events-waiting = { PLURAL($n) ->
    [one] { $n } evento pendiente.
   *[other] { $n } eventos pendientes.
}
events-failing-since = Ninguna entrega ha tenido éxito desde el { $date }.
events-disabled-on = Desactivado el { $date }:
events-enable-text = Corrige primero el receptor. Una vez activado, recibe todo lo que se ha perdido.
events-enable = Activar
events-change = Cambiar sus tipos o su secreto, o eliminarlo
events-types = Eventos que recibe
events-save-types = Guardar los tipos
events-secret-text = Un secreto nuevo se muestra una sola vez, en la página siguiente. Durante un día, el actual firma junto a él.
events-secret = Crear un secreto nuevo
events-remove-text = { PLURAL($n) ->
    [one] Una vez eliminado, ya no recibe eventos y { $n } evento pendiente no se entrega. El feed los conserva todos.
   *[other] Una vez eliminado, ya no recibe eventos y { $n } eventos pendientes no se entregan. El feed los conserva todos.
}
events-remove = Eliminar { $url }
events-deliveries = Entregas a { $url }
events-event = Evento
events-happened = Ocurrido el
events-attempts = Intentos
events-last-answer = Última respuesta
events-next = próximo intento: { $date }
events-failed = { PLURAL($n) ->
    [one] El último intento de { $n } evento ha fallado.
   *[other] Los últimos intentos de { $n } eventos han fallado.
}
events-send-failed = Enviarlos todos otra vez
events-send-again = Reenviar
events-send-this-again = Reenviar { $type } del { $date }
events-none-yet = Todavía no ha habido ningún evento para este endpoint.
events-none = { $organisation } no tiene ningún endpoint para eventos. Tu equipo técnico indica una dirección; los eventos también se pueden leer del feed.
events-new = Enviar eventos a una dirección
events-new-text = La página siguiente muestra, una sola vez, el secreto que firma los eventos.
events-new-submit = Enviarle eventos

## The page that shows a secret once

secret-title = Secreto
secret-heading = El secreto que firma los eventos
secret-text = Dáselo ahora al equipo técnico del receptor por un canal seguro: no se puede volver a mostrar. Si se pierde, crea uno nuevo. El secreto que el receptor tiene ahora firma junto a él durante un día.
secret-back = Volver a los eventos

### The staff

staff-title = Equipo
staff-heading = Equipo de { $organisation }
staff-person = Persona
staff-roles = Roles
staff-since = Desde
staff-remove = Quitar
staff-remove-person = Quitar a { $email } del equipo
staff-add = Añadir a una persona o cambiar sus roles
staff-email = Correo electrónico de su cuenta
staff-support = Atención al cliente: correos, direcciones, inscripciones, alertas
staff-finance = Finanzas: reembolsos, desistimientos, informes
staff-manager = Responsable: cupones, plazas, lotes, el equipo
staff-only-managers = Solo los responsables de tu organización pueden cambiar esta lista.

### What the last form did: one line at the top of the next page

done-receipt = El mensaje está en camino.
done-address = La dirección está corregida y lo que la esperaba se ha trasladado. La nueva dirección recibe sus correos por sí sola: el recibo y, si no tiene cuenta, la invitación.
done-alert = La alerta está cerrada.
done-invoice = La factura está corregida. La nueva va de camino al comprador.
done-invoice-asked = Se ha preguntado a finanzas. Hasta entonces la factura queda como está.
done-invoice-refused = La solicitud está rechazada. La factura queda como está.
done-invitation = La invitación está en camino.
done-refund = El reembolso está en marcha. Su estado aparece más abajo.
done-payment = El pago está registrado.
done-refund-arrived = El reembolso ha llegado.
done-refund-back = El reembolso ha vuelto. El dinero cuenta otra vez como tuyo.
done-payment-returned = El pago ya no cuenta.
done-payment-cancelled = El pedido ha terminado.
done-document = El resultado queda registrado.
done-move = El traslado está en marcha. El acceso anterior termina en cuanto la plataforma de cursos confirme el nuevo.
done-mails = El correo está en camino.
done-enrollments = Se ha vuelto a pedir a la plataforma de cursos.
done-withdrawal = El desistimiento está decidido.
done-dead-letters = El mensaje está atendido. Si vuelve a fallar, reaparece en esta lista.
done-staff = El equipo se ha modificado.
done-vouchers = { PLURAL($n) ->
    [one] { $n } cupón está listo.
   *[other] { $n } cupones están listos.
}
done-voucher = El cupón se ha modificado.
done-assigned = Las direcciones están guardadas y reciben sus plazas una a una.
done-freed = La plaza vuelve a estar libre.
done-revoked = El acceso ha terminado. La plaza queda consumida.
done-no-seat = La dirección ya no tenía plaza. No se ha hecho nada.
done-reminded = Se envía un recordatorio a quienes no se han registrado ni han recibido un correo en el último día.
done-none-reminded = No se ha enviado ningún recordatorio: todas las direcciones se han registrado o han recibido un correo en el último día.
done-batch = Las filas están guardadas y se procesan una a una.
done-catalog = El curso se ha modificado. La tienda lo muestra en segundos.
done-endpoints = El endpoint está activado. Recibe los eventos que se ha perdido.
done-endpoint-changed = El endpoint se ha modificado. Si no has visto su secreto, crea uno nuevo.
done-deliveries = El evento está de nuevo en camino.
done-deliveries-failed = Todos los eventos que habían fallado están otra vez en camino.
done-month = El mes está cerrado.

### What went wrong: a title, and the next step

problem-signed-out = Tu sesión se ha cerrado
problem-signed-out-text = Inicia sesión en otra pestaña de este navegador y vuelve aquí. Todavía no se ha hecho nada.
problem-sign-in = Iniciar sesión
problem-not-allowed = No tienes permiso para hacer esto
problem-not-allowed-text = Pide el rol a un responsable de tu organización o vuelve atrás.
problem-not-found = No encontrado
problem-not-found-text = Comprueba el enlace o vuelve a buscar.
problem-file = No ha funcionado
problem-file-text = No se ha hecho nada. Vuelve atrás y envía un archivo más pequeño, en CSV.
problem-sent-before = Este formulario ya se envió
problem-sent-before-text = Se envió entonces con otros datos. Mira primero qué hizo; si vuelves a enviar el formulario desde aquí, se hace de nuevo.
problem-invalid = No ha funcionado
problem-invalid-text = Corrige lo que se indica abajo y vuelve a enviarlo, o vuelve atrás.
problem-running = Esta acción ya está en marcha
problem-running-text = Espera un momento y vuelve a mirar antes de repetir nada.
problem-contradiction = Esto contradice lo que consta
problem-contradiction-text = No se cambió nada. Compáralo con lo que dice el otro sistema.
problem-no-answer = Todavía no hay respuesta
problem-no-answer-text = Todavía puede ocurrir. Vuelve a mirar; reenviar este formulario no hace nada dos veces.
problem-too-many = Demasiadas solicitudes
problem-too-many-text = Espera un momento y vuelve a enviarlo.
problem-unavailable = Esto no funciona ahora
problem-unavailable-text = No se ha hecho nada. Inténtalo de nuevo en un momento; reenviar este formulario no hace nada dos veces.
problem-send-again = Volver a enviar este formulario
problem-start = Ir a la página de inicio
problem-email = Correo electrónico

## Faults of a form: what is wrong with { $field }. { $fault } is English, such as: is not a number, such as 12.50.
## Other languages put a colon between the two.

problem-fault = { $field }: { $fault }.
fault-order = Pedido
fault-address = Dirección
fault-reason = Motivo
fault-amount = Importe
fault-reference = La referencia
fault-day = El día
fault-enrollment = Inscripción
fault-mail = Correo
fault-message = Mensaje
fault-endpoint = Endpoint
fault-event = Evento
fault-line = Línea
fault-course = Curso
fault-waive = Casilla del precio distinto
fault-file = Archivo

## Refusals as sentences. The key of each is what the programs say in English.

refusal-your-account-lacks-the-role-support = A tu cuenta le falta el rol de atención al cliente.
refusal-your-account-lacks-the-role-finance = A tu cuenta le falta el rol de finanzas.
refusal-your-account-lacks-the-role-manager = A tu cuenta le falta el rol de responsable.
refusal-is-required-for-the-record = Es obligatorio, para el registro: { $field }.
refusal-is-not-an-email-address = No es una dirección de correo: { $field }.
refusal-is-not-a-number-such-as-12-50 = «{ $field }» no es un número, como 12,50.
refusal-is-not-clear-write-1000-for-a-thousand-and-1-00-for-one = «{ $field }» no está claro: escribe 1000 para mil y 1,00 para uno.
refusal-is-the-order-s-address-already = El pedido ya tiene esta dirección.
refusal-was-bought-by-an-account-whose-owner-changes-the-address-at-the-course-platform = Lo compró una cuenta: su titular cambia la dirección en la plataforma de cursos.
refusal-waits-for-its-payment-or-has-ended-only-an-order-that-is-complete-can-be-corrected = El pedido espera su pago o ha terminado. Solo se puede corregir uno completo.
refusal-has-opened-a-course-under-this-address-already-or-was-upgraded-or-moved = Ya se abrió un curso con esta dirección, o el pedido se mejoró o se trasladó.
refusal-has-the-same-order-already = Esta dirección ya tiene el mismo pedido.
refusal-is-not-a-course-of-the-organisation = Tu organización no tiene ningún curso con este identificador.
refusal-is-not-on-sale-in-this-mode-or-the-buyer-has-it-already = El curso no está a la venta en esta modalidad, o el comprador ya lo tiene.
refusal-gives-no-access-that-can-be-moved = La línea no da ningún acceso que se pueda trasladar.
refusal-is-what-the-line-gives-already = La línea ya da esto.
refusal-leads-to-what-this-person-has-already = La persona ya tiene este curso.
refusal-is-sold-out = El curso está agotado.
refusal-is-being-moved-the-course-platform-has-not-confirmed-it-yet = La línea se está trasladando: la plataforma de cursos aún no lo ha confirmado.
refusal-has-no-invoice = El pedido no tiene factura.
refusal-has-refunds-so-its-invoice-stays-as-it-is = El pedido tiene reembolsos, así que su factura queda como está.
refusal-was-corrected-three-times-already = La factura ya se corrigió tres veces.
refusal-changes-the-tax-refund-the-order-and-sell-it-again = Esta dirección cambia el impuesto: reembolsa el pedido y véndelo de nuevo.
refusal-waits-for-no-other-invoice = Ya no se pregunta nada a finanzas sobre este pedido.
refusal-has-no-receipt-it-is-not-paid-or-its-courses-are-not-open-yet = No hay recibo: el pedido no está pagado o sus cursos aún no están abiertos.
refusal-has-no-open-alert = El pago ya no tiene ninguna alerta abierta.
refusal-is-the-last-manager-an-operator-can-change-that = Es el último responsable; un operador puede cambiarlo.
refusal-is-not-over-yet = El mes aún no ha terminado.
refusal-is-closed-already = El mes ya está cerrado.
refusal-is-not-a-month-such-as-2026-11 = «{ $field }» no es un mes, como 2026-11.
refusal-is-not-of-an-account-that-has-bought-or-enrolled-here-an-operator-can-add-it = Ninguna cuenta con esta dirección ha comprado o se ha inscrito aquí; un operador puede añadirla.
