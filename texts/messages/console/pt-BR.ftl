# Brazilian Portuguese. Address the reader as você.

### Every page

## The frame of each page

console-title = Console
console-skip = Ir para o conteúdo
console-desk = atendimento
console-search = Buscar
console-search-for = Endereço, nome, empresa, pedido, referência, curso, código
console-other-shop = Outra loja
console-sign-out = Sair
console-zone = Os dias e horários são os de { $zone }.

## Links below a long list

console-pages = Páginas
console-previous = Anterior
console-page = Página { $n }
console-next = Próxima

## Moments and times: { $time } is a date with its time of day, such as Jan 31, 2030, 12:00

console-age-now = há menos de um minuto
console-age-minutes = { PLURAL($n) ->
    [one] há { $n } minuto
   *[other] há { $n } minutos
}
console-age-hours = { PLURAL($n) ->
    [one] há { $n } hora
   *[other] há { $n } horas
}
console-age-days = { PLURAL($n) ->
    [one] há { $n } dia
   *[other] há { $n } dias
}
console-since = desde { $date }

## Words that are headings of columns, names of fields, or buttons

console-action = Ação
console-address = Endereço
console-addresses = Endereços
console-amount = Valor
console-budget = Orçamento
console-buyer = Comprador
console-campaign = Campanha
console-change = Alterar
console-code = Código
console-course = Curso
console-courses = Cursos
console-filter = Filtrar
console-mode = Modalidade
console-note = Observação
console-order = Pedido
console-orders = Pedidos
console-placed = Feito em
console-price = Preço
console-reason = Motivo
console-refunded = Reembolsado
console-row = Linha
console-rows = Linhas
console-save = Salvar
console-status = Status
console-tax = Imposto
console-total = Total
console-url = URL
console-uses = Usos
console-uses-in-all = Usos no total
console-uses-by-one = Usos por comprador
console-takes-off = Desconto
console-taken-off = Descontado
console-valid-from = Válido a partir de
console-valid-until = Válido até
console-no-end = sem vencimento
console-no-limit = sem limite
console-ended = encerrado
console-of = { $part } de { $whole }
console-last-30-days = Últimos 30 dias

## What several pages say

console-will-happen = O que vai acontecer
console-on-record = Fica registrado em seu nome, { $name }.
console-show-first = Ver o que vai acontecer
console-ask-platform = Solicitar de novo à plataforma de cursos
console-look-again = Atualizar
console-progress = Andamento
console-done-of = Concluído: { $done } de { $total }.
console-done-and-failed = Concluído: { $done } de { $total }; com falha: { $failed }.

### Stored words, each as a tag or in a column

## Status of an order


## Status of a person's access to a course

access-status-enrolled = inscrito
access-status-pending-registration = aguardando cadastro
access-status-removed = removido
access-status-refused = recusado
access-status-cancelled = cancelado
access-status-none = nenhum

## Status of a payment

payment-status-created = criado
payment-status-processing = em processamento
payment-status-succeeded = concluído
payment-status-failed = falhou
payment-status-cancelled = cancelado
payment-status-superseded = substituído
payment-status-refunded = reembolsado

## Status of a refund

refund-status-asked = solicitado
refund-status-accepted = aceito
refund-status-succeeded = concluído
refund-status-failed = falhou

## Status of a dispute at the buyer's bank

dispute-status-open = aberta
dispute-status-won = ganha
dispute-status-lost = perdida

## Status of a withdrawal, which a buyer has declared

withdrawal-status-received = pendente
withdrawal-status-unmatched = sem pedido correspondente
withdrawal-status-accepted = aceita
withdrawal-status-refused = recusada

## Status of a row of a batch, and of the batch

row-status-waiting = pendente
row-status-done = concluída
row-status-failed = falhou
batch-status-running = em andamento
batch-status-done = concluído

## Status of a seat that an address has

seat-status-pending = aguardando cadastro
seat-status-enrolled = inscrito
seat-status-ended = encerrada

## Status of a voucher's use: given back if the order ended unpaid

use-status-held = aguardando pagamento
use-status-used = usado
use-status-released = devolvido
use-status-late = pago com atraso

## Status of an event's delivery to an endpoint

delivery-status-waiting = pendente
delivery-status-delivered = entregue
delivery-status-given-up = abandonado

## What a row of a batch does

action-enroll = inscrever
action-unenroll = cancelar inscrição

## What a voucher takes off: a whole seat in a course, if it is the code of a pool of seats

voucher-kind-percent = porcentagem
voucher-kind-amount = valor
voucher-kind-seat = vaga

## Movements of money, in reports

movement-captured = pagamento
movement-refunded = reembolso
movement-refund-failed = reembolso que falhou
movement-chargeback = chargeback
movement-chargeback-reversed = chargeback revertido
movement-moved = transferência de acesso
movement-fee = tarifa
movement-payout = repasse

## Documents

document-kind-invoice = fatura
document-kind-credit-note = nota de crédito
document-status-requested = solicitado
document-status-issued = emitido
document-status-refused = recusado
document-status-cancelled = cancelado

## Mails to buyers and learners; also in sentences, as in The mail “receipt” was sent.

mail-kind-receipt = recibo
mail-kind-invoice = fatura
mail-kind-invoice-cancelled = fatura cancelada
mail-kind-invoice-corrected = fatura corrigida
mail-kind-access-moved = transferência
mail-kind-transfer-requested = como pagar
mail-kind-document-again = link do documento
mail-kind-document-follows = documento enviado depois
mail-kind-refund-issued = reembolso
mail-kind-registration-invitation = convite
mail-kind-seats-ready = vagas
mail-kind-seat-assigned = vaga
mail-kind-withdrawal-received = desistência recebida
mail-kind-withdrawal-refused = desistência recusada

## What of an order the text of a search was

found-by-order = pedido
found-by-payment = pagamento
found-by-refund = reembolso
found-by-dispute = contestação
found-by-document = documento
found-by-reference = número de pedido do comprador
found-by-transfer = referência do banco
found-by-course = curso
found-by-address = endereço
found-by-name = nome
found-by-company = empresa
found-by-tax-id = identificação fiscal

## Roles of the staff

role-support = atendimento
role-finance = financeiro
role-manager = gestor

### The start page: what needs a person, and figures

start-title = Início
start-heading = Requer atenção
start-nothing = Nada espera por você.
start-decide = Decidir…
start-decide-text = Se for processada de novo, a mensagem faz o que antes não conseguiu. Se for descartada, some de vez, e o que ela deveria fazer não acontece.
start-process-again = Processar de novo
start-drop = Descartar de vez
start-mail-again = Reenviar o e-mail
start-open-withdrawal = Abrir a desistência
start-open-invoice = Abrir o pedido de fatura
start-open-events = Abrir os eventos
start-open-order = Abrir o pedido
start-open-person = Abrir a página da pessoa
start-today = Hoje
start-paid = Pago
start-orders = { PLURAL($n) ->
    [one] { $n } pedido
   *[other] { $n } pedidos
}
start-no-money = Nenhum valor foi movimentado desde a meia-noite.
owed-title = Em aberto
owed-text = Pedidos cuja transferência ou fatura ainda não foi paga, os de vencimento mais antigo primeiro.
owed-open = Em aberto
owed-overdue = Vencido
owed-how = Pagamento
owed-on-account = a prazo
owed-none = Não há nada em aberto.
owed-pending-text = Pagamentos que o provedor ainda processa, como débitos em conta, os pedidos mais antigos primeiro.
owed-until = Pedidos feitos até o fim de { $month }.
owed-all = Mostrar tudo
owed-placed = Pedido em
owed-at-provider = no provedor

## The chart of orders by day: { $up } were paid, { $down } ended unpaid; { $most } is the largest number of a day

start-chart = Pedidos dos últimos 30 dias. Pagos: { $up }; encerrados sem pagamento: { $down }; máximo em um dia: { $most }
start-chart-day = { $day } – pagos: { $up }; encerrados sem pagamento: { $down }
start-chart-up = pagos: { $n }
start-chart-down = encerrados sem pagamento: { $n }

## Tags: what waits for a person

waiting-kind-payment = pagamento
waiting-kind-notification = notificação
waiting-kind-access = acesso
waiting-kind-enrollment = inscrição
waiting-kind-refund = reembolso
waiting-kind-refund-to-pay = reembolso
waiting-kind-overdue = vencido
waiting-kind-invoice = fatura
waiting-kind-document = documento
waiting-kind-withdrawal = desistência
waiting-kind-mail = e-mail
waiting-kind-endpoint = endpoint
waiting-kind-dead-letter = mensagem

## What waits for a person, and what to do about it

waiting-payment = O pagamento precisa de uma decisão. Leia o motivo, tome a providência e depois feche o alerta.
waiting-notification = A notificação do provedor contradiz o que está registrado. Compare-a com o painel do provedor.
waiting-access = O pedido está pago, mas os cursos ainda não foram liberados.
waiting-enrollment = A plataforma de cursos recusou a inscrição. Corrija a causa lá e depois tente de novo aqui.
waiting-refund = O provedor ainda não respondeu ao reembolso. Ele é consultado de novo automaticamente.
waiting-refund-to-pay = Pague o reembolso pelo seu banco. Depois informe que ele chegou ou que voltou.
waiting-overdue = O dinheiro venceu e não chegou. Lembre o comprador, registre o que chegou ou cancele o pedido.
waiting-invoice = O atendimento pede uma fatura corrigida, com a qual o imposto é devolvido. Confirme ou recuse.
waiting-document = Outro sistema não emite o documento há um dia. Pergunte lá ou informe o que ele diz.
waiting-withdrawal = Um comprador desistiu. Aceite a desistência, devolva uma parte ou recuse-a com um motivo; o prazo do reembolso é de 14 dias a partir da declaração.
waiting-mail = A mensagem não chegou. Corrija o endereço ou reenvie-a.
waiting-endpoint = Os eventos não são mais entregues a este endereço. Corrija o receptor e depois ative-o.
waiting-dead-letter = Não foi possível processar uma mensagem. Corrija a causa e mande processá-la de novo; descarte-a somente se nada deve acontecer.

### Where do you work: for a person on the staff of several shops

choose-title = Onde você trabalha hoje?
choose-hello = Olá, { $name }. Você faz parte da equipe destas organizações.

### What a search has found

search-results = Resultados para “{ $text }”
search-short = Digite pelo menos 2 caracteres: um endereço, parte do nome ou da empresa em uma fatura, sua identificação fiscal, um pedido, o número de um documento, o número de pedido do comprador, a referência de uma transferência, do seu banco ou de um provedor, o código de um cupom ou o nome ou identificador de um curso.
search-none = Nada de { $organisation } corresponde a isto. Tente o endereço completo ou pelo menos três letras do nome ou da empresa na fatura. Pedidos de outras lojas não aparecem aqui.
search-voucher = cupom
search-course = curso
search-found-by = Encontrado por
search-more = Há mais resultados. Acrescente algo ao texto para refinar a busca.

### An order

order-title = Pedido de { $email }
order-placed = feito em { $date }
order-former-shop = Vendido por { $shop } antes de ser trazido para cá: um registro sem ações. Reembolsos e recibos são pedidos lá.
order-former-shop-account = Vendido por { $shop } antes de ser trazido para cá. Foi pago pela conta { $provider } usada aqui, portanto pode ser reembolsado aqui. Recibos são pedidos lá.
order-alert = O pagamento precisa de uma decisão
order-alert-done = O que foi feito a respeito
order-alert-close = Fechar o alerta
order-bought = Compra
order-lines = Itens
order-line = Item
order-access = Acesso
order-seats = { PLURAL($n) ->
    [one] { $n } vaga
   *[other] { $n } vagas
}
order-gift = Presente
order-gift-given = Entregue em { $date }
order-gift-planned = Para { $date }
order-is-moving = em transferência para { $course }
order-is-moving-to-person = em transferência para outra pessoa
order-moved = transferido para { $course }
order-moved-to-person = transferido para outra pessoa
order-total-with-voucher = Total com { $code }

## Refund

order-refund = Reembolsar…
order-refund-text = Marque acima os itens que serão reembolsados e cujo acesso será encerrado; se nenhum for marcado, o pedido inteiro é reembolsado. A próxima página mostra o que vai acontecer antes que algo aconteça.
order-refund-amount = Valor, se for menor
order-refund-all-left = tudo o que resta
order-refund-keep = Cortesia: devolver o valor sem encerrar nenhum acesso

## Move

order-move = Transferir…
order-move-text = O item dá acesso a outro curso ou passa seu acesso a outra pessoa. Nenhum dinheiro se move e a fatura fica como está. A página seguinte mostra o que vai acontecer.
order-move-course = Para o curso
order-move-person = Para a pessoa com o endereço

## Access: what the course platform says about it

order-withdrawals = Desistências
order-platform-agrees = a plataforma de cursos confirma
order-platform-refused = a plataforma de cursos recusou
order-platform-waits = a plataforma de cursos aguarda o cadastro da pessoa
order-platform-not-yet = a plataforma de cursos ainda não confirmou
order-access-ended = encerrado em { $date }:

## Money, mails and documents

order-money-back = Reembolsos e contestações
order-refund-to-pay = Devolva o valor pelo seu banco e informe depois o que aconteceu.
order-refund-arrived = O dinheiro chegou
order-refund-back = O dinheiro voltou
order-dispute = { $amount } em contestação no banco
order-payment = Pagamento
order-transfer = Transferência bancária
order-transfer-reference = Referência de pagamento
order-transfer-due = Vencimento
order-transfer-open = Ainda a pagar
order-payment-book = Registrar um pagamento …
order-payment-text = Registre o que o seu banco mostra. Quando o total de { $amount } tiver chegado, os cursos são abertos e o comprador recebe o recibo.
order-payment-day = Dia no banco
order-payment-reference = Referência do banco
order-payment-submit = Registrar este pagamento
order-payment-is-back = devolvido
order-payment-return-text = Primeiro devolva { $amount } pelo seu banco. Depois disso, o valor deixa de contar.
order-payment-return = Foi devolvido
order-payment-end = Encerrar o pedido …
order-payment-end-text = Nenhum dinheiro chegou para ele. O cupom e as vagas ficam livres para outros. Uma transferência que ainda chegar é aceita, com um alerta.
order-payment-end-submit = Encerrar este pedido
order-document-report = Informar o resultado…
order-document-text = Informe o que diz o outro sistema.
order-document-number = Número
order-document-day = Data no documento
order-document-total = Total
order-document-authority = Sistema da autoridade
order-document-qr = Conteúdo do código QR
order-document-issued = Foi emitido
order-document-refused = Foi recusado
order-document-cancel = { $number } foi cancelado…
order-document-cancel-text = Somente se foi cancelado onde havia sido emitido. O pedido fica sem esse documento até que ele seja solicitado novamente.
order-document-cancelled = Foi cancelado
order-document-anew = Solicitar novamente
order-invoice-on-account = Faturado: a fatura foi emitida antes do pagamento.
order-invoice-overdue = Em atraso
order-invoice-cancel = Cancelar a fatura …
order-invoice-cancel-text = Nenhum dinheiro chegou para ela. Uma nota de crédito anula a fatura, e o acesso termina. Devolva uma transferência que ainda chegar.
order-invoice-cancel-submit = Cancelar esta fatura
order-reverse-charge-applied = Autoliquidação: o VIES confirmou o número de IVA, com o número de consulta { $number }.
order-reverse-charge-invalid = O imposto foi cobrado: o VIES não conhece o número de IVA.
order-reverse-charge-unavailable = O imposto foi cobrado: o VIES não respondeu se o número de IVA é válido.
order-provider = Provedor
order-reference = Referência
order-at-bank-since = Em processamento no banco desde
order-disputed = Contestado em
order-mails = E-mails e documentos
order-mail = { $mail } para { $email }
order-mail-failed = falhou
order-mail-waits = pendente
order-mail-sent = enviado
order-mail-deferred = adiado pelo servidor
order-mail-delivered = entregue
order-mail-again = Reenviar
order-no-mails = Nada pendente. Os e-mails enviados estão no histórico.
order-receipt-again = Reenviar o recibo para { $email }
order-invoice-again = Reenviar a fatura para { $email }
order-invoice-correct = Corrigir a fatura …
order-invoice-asked = Foi pedida ao financeiro uma fatura corrigida
order-invite-again = Enviar o convite novamente para { $email }
order-correct-address = Corrigir o endereço…
order-correct-address-text = Para quem comprou sem login e digitou errado. O que aguarda { $email } passa para o novo endereço, que recebe um convite para se cadastrar se não tiver conta. A fatura fica como está.
order-right-address = Endereço correto
order-correct-address-submit = Passar o pedido para este endereço

## The history: each entry is a sentence, and who did it

order-history = Histórico
order-by = Autor: { $name }
timeline-by-system = sistema
timeline-by-client = loja
timeline-by-guest = comprador, sem login
timeline-by-learner = comprador, com login
timeline-by-provider = provedor de pagamento
timeline-by-staff = equipe (conta { $id })
timeline-by-operator = { $name } (operador)
timeline-by-key = chave { $id } da organização

timeline-cart-open = O carrinho foi iniciado.
timeline-cart-placed = O pedido foi feito.
timeline-cart-pending-payment = O pedido foi feito e aguarda o pagamento.
timeline-cart-held = O pedido foi feito; os cursos são liberados assim que o endereço for cadastrado.
timeline-cart-paid = O pedido está pago.
timeline-cart-fulfilled = O pedido está concluído: o acesso foi concedido.
timeline-cart-cancelled = O pedido foi cancelado.
timeline-cart-expired = O pedido expirou sem pagamento.
timeline-cart-refunded = O pedido terminou: todo o dinheiro foi devolvido.
timeline-cart-invoice-corrected = O comprador na fatura foi corrigido.
timeline-cart-document-issued = Um documento foi informado como emitido.
timeline-cart-document-refused = Um documento foi recusado.
timeline-cart-document-cancelled = Um documento foi cancelado onde havia sido emitido.
timeline-cart-document-replaced = Um documento recusado ou cancelado foi solicitado novamente.
timeline-cart-invoice-asked = Foi pedida ao financeiro uma fatura corrigida.
timeline-cart-invoice-refused = O financeiro recusou a fatura corrigida.
timeline-cart-invoice-paid = A fatura foi paga.
timeline-cart-restored = O acesso foi restaurado.
timeline-cart-access-blocked = O acesso espera por uma pessoa.
timeline-cart-access-restored = O acesso em que este pedido se baseia voltou, então ele foi concedido.
timeline-cart-mail-sent = O e-mail “{ $mail }” foi enviado.
timeline-cart-mail-again = O e-mail “{ $mail }” foi reenviado.
timeline-cart-move-asked = Foi solicitada a transferência de { $from } para { $to }.
timeline-cart-move-withdrawn = A transferência para { $to } foi retirada.
timeline-cart-moved = O acesso passou de { $from } para { $to }.
timeline-cart-moved-to-person = O acesso a { $to } passou para outra pessoa.
timeline-cart-address-corrected = O endereço do comprador foi corrigido.
timeline-alert-closed = O alerta foi fechado: { $alert }.
timeline-transaction-created = O pagamento foi preparado.
timeline-transaction-processing = O pagamento foi iniciado no provedor.
timeline-transaction-succeeded = O pagamento chegou.
timeline-transaction-failed = O pagamento falhou.
timeline-transaction-cancelled = O pagamento foi cancelado.
timeline-transaction-superseded = Outra tentativa substituiu o pagamento.
timeline-transaction-refunded = O pagamento foi totalmente reembolsado.
timeline-transaction-partly-refunded = Do pagamento, { $refunded } já foram reembolsados.
timeline-transaction-lost = O banco retomou { $lost } do pagamento.
timeline-transaction-held = Uma contestação retém { $lost } do pagamento.
timeline-transaction-refunded-and-lost = Do pagamento, { $refunded } foram reembolsados e o banco retomou { $lost }.
timeline-transaction-nothing-back = Nada mais do pagamento está reembolsado ou retomado.
timeline-transaction-charged = O provedor cobrou um valor diferente do valor do pedido.
timeline-transaction-received = { $amount } chegaram ao banco.
timeline-transaction-returned = { $amount } foram devolvidos pelo banco.
timeline-transaction-event-applied = Uma notificação que contradizia os dados foi aplicada.
timeline-refund-asked = Um reembolso foi solicitado.
timeline-refund-accepted = O provedor aceitou o reembolso.
timeline-refund-succeeded = O reembolso foi concluído.
timeline-refund-failed = O reembolso falhou.
timeline-withdrawal-objected = O titular do endereço do pedido disse que a desistência não é dele.
timeline-withdrawal-received = Uma desistência foi declarada.
timeline-withdrawal-unmatched = Uma desistência foi declarada com outro endereço.
timeline-withdrawal-accepted = A desistência foi aceita.
timeline-withdrawal-refused = A desistência foi recusada.
timeline-the-course = O curso
timeline-enrollment-enrolled = { $course }: acesso concedido.
timeline-enrollment-pending-registration = { $course }: aguardando o cadastro do endereço.
timeline-enrollment-removed = { $course }: acesso encerrado.
timeline-enrollment-synced = { $course }: a plataforma de cursos confirma.
timeline-enrollment-refused = { $course }: a plataforma de cursos recusou.
timeline-enrollment-retried = { $course }: nova tentativa de inscrição.
timeline-notification = O provedor comunicou { $what }.
timeline-dispute-open = O banco do comprador abriu uma contestação, que agora está aberta.
timeline-dispute-won = O banco do comprador abriu uma contestação, que agora está ganha.
timeline-dispute-lost = O banco do comprador abriu uma contestação, que agora está perdida.
timeline-became = { $what }: { $from } passou a { $to }.
timeline-other = { $what }: { $to }.

### A withdrawal of an order: on the order's page, and on a page of its own

decide-declared = declarada em { $date } por { $email }
decide-no-proof = sem comprovação
decide-lines = { PLURAL($n) ->
    [one] { $n } item
   *[other] { $n } itens
}
decide-no-line = nenhum item
decide-decided = decidida em { $date }
decide-waits = aguarda uma pessoa:
decide-judged = é avaliada automaticamente; próxima vez: { $date }
decide-objected = O titular do endereço do pedido disse em { $date } que ela não é dele.
decide-accept = Aceitar…
decide-accept-text = Tudo o que resta dos itens declarados volta para o comprador, e o acesso a eles é encerrado. O comprador recebe um e-mail.
decide-reason-optional = Motivo, que o comprador vê; pode ficar vazio
decide-accept-submit = Devolver tudo o que resta e encerrar o acesso
decide-part = Devolver uma parte…
decide-part-text = Para um serviço que já tinha começado: este valor volta para o comprador, e o acesso aos itens declarados é encerrado. O comprador recebe um e-mail.
decide-part-submit = Devolver este valor e encerrar o acesso
decide-refuse = Recusar…
decide-refuse-text = Nada é devolvido, e o acesso permanece. O comprador recebe um e-mail com o seu motivo e pode declarar os itens de novo.
decide-refuse-submit = Recusar a desistência
decide-close = Fechar…
decide-close-text = Nenhum e-mail é enviado: quem a declarou pode ser um desconhecido. Se você encontrou o pedido em questão, reembolse-o primeiro na página dele.
decide-close-submit = Fechar a desistência

## The page of its own

withdrawal-title = Desistência de { $name }
withdrawal-heading = Desistência
withdrawal-declared-what = O que foi declarado
withdrawal-order-named = Pedido, como foi informado
withdrawal-name = Nome
withdrawal-declared = Declarada em
withdrawal-decision = Decisão

### Before a refund: { $provider } is the payment provider, such as Stripe

refund-title = Reembolsar?
refund-heading = Reembolsar este pedido?
refund-order = Pedido de { $email }: { $total }, dos quais { $refunded } já reembolsados.
refund-amount = { $amount } volta para o comprador por { $provider }.
refund-all = Tudo o que resta de { $total } volta para o comprador por { $provider }.
refund-lines = Tudo o que resta dos itens marcados, { $amount }, volta para o comprador por { $provider }.
refund-lines-with-tax = Tudo o que resta dos itens marcados, { $amount } mais o imposto eventualmente cobrado à parte, volta para o comprador por { $provider }.
refund-access-stays = Todo o acesso permanece.
refund-access-ends = O acesso a { $item } é encerrado assim que o provedor aceitar, a menos que o aluno tenha obtido um certificado.
refund-own = Sua organização paga o valor pelo banco dela e depois informa aqui que ele chegou.
refund-access-ends-now = O acesso a { $item } termina imediatamente, a menos que o certificado já tenha sido obtido.
refund-mail = { $email } recebe um e-mail sobre o reembolso.
refund-no-mail = Nenhum e-mail é enviado daqui a quem comprou, pois outra loja vendeu o pedido.
refund-mail-with-credit-note = { $email } recebe um e-mail sobre o reembolso com uma nota de crédito.
refund-needs-amount = Uma cortesia precisa de um valor. Volte e informe um.
refund-reason = Motivo, que o comprador também vê
refund-despite-dispute = Reembolsar mesmo que o banco tenha uma contestação aberta e possa devolver o mesmo dinheiro ao comprador
refund-taken = As contestações levaram { $lost }, que não podem ser reembolsados.
refund-back = Voltar sem reembolsar
refund-submit-all = Reembolsar tudo o que resta e encerrar o acesso
refund-submit = Reembolsar { $amount } e encerrar o acesso
refund-submit-keep = Reembolsar { $amount }

### A correction of the buyer on an invoice

invoice-title = Corrigir a fatura
invoice-buyer = Comprador na fatura
invoice-asked = O atendimento pediu este comprador em { $date }. Com isso o imposto volta para o comprador.
invoice-happens = Uma nota de crédito anula a fatura, e uma nova nomeia este comprador.
invoice-mail = { $email } recebe a nova fatura por e-mail.
invoice-tax = Se for uma empresa de outro Estado-Membro da UE e o VIES confirmar o número de IVA, o imposto é devolvido.
invoice-tax-asked = Se for uma empresa de outro Estado-Membro da UE e o VIES confirmar o número de IVA, o imposto deve ser devolvido: então o financeiro é consultado e corrige a fatura.
invoice-back = Voltar sem corrigir nada
invoice-submit = Corrigir a fatura e enviá-la
invoice-refuse = Recusar o pedido do atendimento
buyer-company = Empresa
buyer-tax-id = Identificação fiscal
buyer-name = Nome
buyer-line1 = Rua
buyer-line2 = Complemento
buyer-postal-code = CEP
buyer-city = Cidade
buyer-state = Estado
buyer-country = País, duas letras

### Before a move: { $name } is the course of the line

move-title = Transferir?
move-heading = Transferir este item?
move-line-number = item { $position }
runs-heading = Para onde vai { $name }?
runs-line = { $name }, { $mode }, comprado por { $price }.
runs-choose = Transferir para { $name } …
runs-same-course = outra edição
runs-none = Nenhum outro curso está à venda nesta modalidade, ou o comprador já o tem.
runs-person = Ou para outra pessoa
move-is-moving = Está em transferência para { $course }.
move-is-moving-to-person = Está em transferência para { $course }, para outra pessoa.
move-was-moved = Foi transferido para { $course }.
move-was-moved-to-person = Foi transferido para { $course }, para outra pessoa.
move-access-now = Quem tem acesso agora por este pedido:
move-to-course = O item passa a dar acesso a { $course } em vez do curso atual.
move-other-price = Custa { $price }, e o item { $paid }: marque abaixo que nada é cobrado nem reembolsado.
move-to-person = O item passa o acesso para { $email }, que recebe um convite para se cadastrar se não houver conta com este endereço.
move-old-access = O acesso atual permanece até que a plataforma de cursos confirme o novo, e então é encerrado. Se a plataforma recusar, ele permanece, e a recusa aparece na lista do que requer atenção.
move-earlier = Se a plataforma recusou uma transferência anterior deste item, ou se o endereço dela não foi cadastrado, essa transferência é retirada.
move-money = Nenhum valor é movimentado. A fatura fica como está; um reembolso posterior do item encerra o novo acesso.
move-certificate = Se a pessoa que tem o acesso agora obteve um certificado, nada acontece.
move-mail = { $email } recebe um e-mail quando a transferência estiver concluída.
move-reason = Motivo, para o registro
move-waive = Transferir mesmo que o preço seja diferente; nada é cobrado nem reembolsado
move-back = Voltar sem transferir
move-submit = Transferir { $name } para { $to }

### A person: an address with its orders, courses and seats

person-download = Baixar o que { $organisation } tem desta pessoa
person-download-help = Em JSON, para quem solicitar.
person-no-orders = Nenhum pedido com este endereço em { $organisation }. A pessoa pode ter comprado com outro: busque o nome na fatura.
person-no-courses = Nenhum curso de { $organisation } foi liberado para este endereço.
person-seats = Vagas que este endereço gerencia ou tem
person-seats-taken = ocupadas: { $used } de { $seats }
person-seats-bought = compradas em { $date }

### Payouts

payouts-title = Repasses
payouts-text = O que o provedor de pagamento repassou ao seu banco e o que há em cada repasse. Os dados são lidos a cada hora.
payouts-refused = { $gateway } não mostra os repasses à chave da sua conta. Fale com quem opera este serviço.
payouts-unread = Os repasses de { $gateway } ainda não foram lidos.
payouts-made = Emitido em
payouts-bank = No banco
payouts-payments = Pagamentos
payouts-refunds = Reembolsos
payouts-disputes = Disputas
payouts-fees = Tarifas
payouts-rest = Outros
payouts-difference = diferença
payouts-not-read = O conteúdo ainda não foi lido.
payouts-not-itemised = O provedor não informa o que há nele.
payouts-none = Não houve repasse neste período. Escolha outro.
payouts-csv = Baixar os repasses em CSV
payouts-xlsx = Repasses em XLSX
payouts-movements = Movimentações dos repasses
payouts-movements-csv = Movimentações em CSV
payouts-movements-xlsx = Movimentações em XLSX
payout-status-pending = pendente
payout-status-paid = repassado
payout-status-failed = falhou

### The month that finance closes

# A link at the top of each page, and the page on which finance closes a month
month-title = Fechamento do mês
month-month = Mês
month-text = O dinheiro conta no dia informado pelo banco ou pelo provedor.
month-closed = fechado
month-closed-by = Fechado em { $date } por { $name }.
month-closed-with = Foi fechado junto com { $month }.
month-open = O mês terminou e ainda não está fechado.
month-not-over = O mês pode ser fechado depois de { $day }.
month-provider = Provedor
# In place of a provider: transfers that you take yourself
month-own-account = sua própria conta
# Headings: money that is with the provider before and after the month
month-opening = No provedor antes
month-paid-out = Repassado
month-closing = Ainda no provedor
month-no-opening = Não se sabe o que havia antes no provedor, porque nenhum mês do ano anterior está fechado.
month-adds-up = A conta fecha: o que havia antes e tudo o que se moveu dão o que ainda está lá, e os repasses conferem.
month-gaps = Isto não fecha:
# Behind an amount: why it does not add up
month-gap-other = movimentações de um repasse que os livros não conhecem
month-gap-unknown-payment = pagamentos de um repasse que não são pedidos daqui
month-gap-other-currency = pago em uma moeda e repassado em outra
month-gap-difference = diferença entre um repasse e suas movimentações
month-gap-unread = um repasse cujas movimentações não foram lidas neste mês, de modo que faltam suas tarifas
month-gap-closed = diferença em relação ao saldo com que o mês foi fechado
# Above amounts
month-unpaid = Em aberto agora
month-pending = Em processamento agora
month-documents = Documentos que faltam
month-documents-text = Pedidos pagos sem fatura e reembolsos sem nota de crédito. A maioria é emitida em minutos; se algo permanecer aqui, fale com quem opera este serviço.
month-no-documents = Não falta nenhum documento.
month-late = Dinheiro atrasado
month-late-text = Dinheiro que conta neste mês porque o próprio mês já estava fechado quando foi registrado.
month-no-late = Nada chegou atrasado.
# Below an amount: of how many it is the sum
month-number = Número: { $n }
month-close-text = Depois de fechado, o mês fica como está, com todos os anteriores: o que for registrado depois conta em um mês aberto. Isso não pode ser desfeito.
# A button
month-close = Fechar { $month }

### Reports

reports-title = Relatórios
reports-from = De
reports-to = Até, inclusive
reports-by = Dia considerado
reports-by-booked = o do registro
reports-by-received = o do banco ou do provedor
reports-show = Mostrar
reports-zone = Dias do fuso horário { $zone }.
# Before tags with what the page shows
reports-only = Somente:
reports-all = Mostrar todas as movimentações
reports-totals = Movimentações e impostos
reports-movement = Movimentação
reports-taxed-in = Tributado em
reports-rate = Alíquota
reports-number = Quantidade
reports-net = Líquido
reports-none = Nenhum valor foi movimentado neste período. Escolha outro: os pagamentos contam no dia em que o provedor os comunicou.
reports-ledger = Livro de movimentações
reports-ledger-first = Livro de movimentações: as primeiras { $n }
reports-booked = Registrado em
reports-received = Movimentado em
reports-document = Documento
reports-download-csv = Baixar o livro de movimentações em CSV
reports-download-json = Em JSON
reports-download-xlsx = Livro de movimentações em XLSX
reports-taxes = Impostos
reports-taxes-text = Faturas menos notas de crédito, pelo dia que mostram.
reports-taxes-chargeback = Um chargeback retira o dinheiro sem que haja nota de crédito: os impostos aqui superam os dos movimentos acima pelo imposto dos chargebacks.
reports-country = País
reports-state = Estado
reports-category = Categoria
reports-documents = Documentos
reports-taxes-csv = Baixar os impostos em CSV
reports-taxes-json = Impostos em JSON
reports-taxes-days = Impostos por dia
reports-taxes-days-xlsx = Impostos por dia em XLSX
reports-taxes-payments-xlsx = Impostos por dia de pagamento em XLSX
reports-taxes-oss = Balcão único (OSS)
reports-taxes-oss-xlsx = Balcão único (OSS) em XLSX
reports-taxes-xlsx = Impostos em XLSX
reports-taxes-none = Nenhuma fatura ou nota de crédito foi emitida neste período. Uma organização sem dados de vendedor não emite nenhuma.

reports-sum = Soma
column-seq = Número
column-at = Horário
column-day = Registrado em
column-kind = Movimentação
column-cart_id = Pedido
column-transaction_id = Pagamento
column-refund_id = Reembolso
column-amount = Valor
column-tax = Imposto
column-currency = Moeda
column-gateway = Provedor
column-provider_reference = Referência do provedor
column-region = País do comprador
column-list_price = Preço de tabela
column-discounts = Descontos
column-voucher_discount = Desconto do cupom
column-voucher = Cupom
column-campaign = Campanha
column-document_number = Documento
column-tax_country = Tributado em
column-tax_state = Estado do imposto
column-tax_rate = Alíquota do imposto (%)
column-language = Idioma
column-reference = Referência do comprador
column-metadata = Metadados
column-bank_day = Dia do banco
column-bank_reference = Referência do banco
column-tax_id = Identificação fiscal
column-reverse_charge = Autoliquidação
column-country = País
column-state = Estado
column-rate = Alíquota (%)
column-category = Categoria
column-net = Líquido
column-count = Documentos
column-payout = Repasse
column-status = Situação do repasse
column-made_on = Emitido em
column-payments = Pagamentos
column-refunds = Reembolsos
column-disputes = Disputas
column-fees = Tarifas
column-returned = Repasses devolvidos
column-other = Outros
column-rounding = Arredondamento
column-difference = Diferença
column-fee_tax = Imposto nas tarifas
column-movements = Movimentações
column-itemised = Detalhado
column-movement = Movimentação no provedor
column-provider_kind = Tipo no provedor
column-gross = Sem tarifa
column-fee = Tarifa
column-balance = Outro saldo
column-date = Dia
column-buyer = Comprador
column-quarter = Trimestre
column-number = Número
tax-category-s = normal
tax-category-z = alíquota zero
tax-category-e = isento
tax-category-ae = autoliquidação
tax-category-o = não tributado

### Vouchers

vouchers-title = Cupons
vouchers-whole-seat = uma vaga inteira
vouchers-none-found = Nenhum cupom tem este código e esta campanha. Deixe um campo vazio para ver mais.
vouchers-none = { $organisation } ainda não tem cupons. Crie o primeiro abaixo.
vouchers-new = Criar cupons
vouchers-code-help = De 3 a 40 letras, dígitos, - e _. Vazio: o serviço gera os códigos.
vouchers-count = Número de códigos
vouchers-count-help = Mais de um somente sem um código próprio.
vouchers-percentage = uma porcentagem
vouchers-amount = um valor
vouchers-how-much = Quanto
vouchers-courses-help = Um identificador de curso por linha, como course-v1:Northwind+ENG101+2026. Vazio: tudo o que { $organisation } vende.
vouchers-new-submit = Criar os cupons

## One voucher

voucher-used = Usado em
voucher-not-used = Ainda não foi usado.
voucher-terms = Condições
voucher-for = Válido para
voucher-courses = { PLURAL($n) ->
    [one] { $n } curso
   *[other] { $n } cursos
}
voucher-programs = { PLURAL($n) ->
    [one] { $n } programa
   *[other] { $n } programas
}
voucher-everything = tudo
voucher-change-text = Quanto ele desconta, e sobre o quê, fica como foi prometido.
voucher-budget-in = Orçamento em { $currency }
voucher-until-help = Vazio: sem vencimento.
voucher-end-text = Depois de encerrado, ele não desconta nada de novos pedidos. O que foi comprado com ele fica como está.
voucher-end = Encerrar { $code } agora

## Its chart by day: { $up } uses of paid orders, { $down } that were given back; { $most } is the largest number of a day

voucher-chart = Usos dos últimos 30 dias. Usados: { $up }; devolvidos: { $down }; máximo em um dia: { $most }
voucher-chart-day = { $day } – usados: { $up }; devolvidos: { $down }
voucher-chart-up = usados: { $n }
voucher-chart-down = devolvidos: { $n }

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
codes-csv = Baixar como CSV
codes-copy = Para copiar
codes-back = Voltar aos cupons
codes-take = Levar os códigos desta campanha

### Seats: places in a course that somebody has bought for others

seats-title = Vagas
seats-pools = Pacotes de vagas
seats-item = Curso ou programa
seats-bought = Comprado em
seats-taken = Ocupadas
seats-none = { $organisation } ainda não vendeu vagas. Quem compra várias vagas em um curso recebe um pacote de vagas e as distribui a outras pessoas.

## One pool of seats

pool-taken = Vagas ocupadas: { $used } de { $seats }
pool-left = { PLURAL($n) ->
    [one] resta { $n }
   *[other] restam { $n }
}
pool-code = código
pool-order = o pedido que as pagou
pool-batch = Os endereços que você enviou
pool-holders = Quem tem uma vaga
pool-no-holders = Nenhum endereço tem uma vaga ainda. Informe endereços ou compartilhe o código.
pool-mail-failed = O e-mail não chegou:
pool-take-back = Retomar a vaga…
pool-take-back-pending = A vaga volta a ficar livre, e o convite deixa de valer.
pool-take-back-enrolled = { $email } perde o acesso a { $item }. A vaga continua consumida.
pool-take-back-submit = Retomar a vaga de { $email }
pool-give = Atribuir vagas a endereços
pool-give-help = Um por linha, no máximo 500. Quem tem conta é inscrito e avisado por e-mail; qualquer outro endereço recebe um convite.
pool-give-submit = Atribuir as vagas
pool-remind = Lembrete
pool-remind-text = Envia um e-mail aos 100 endereços que aguardam o cadastro há mais tempo; a cada um, no máximo uma vez por dia.
pool-remind-submit = Lembrar quem não se cadastrou

### Batches of enrollments

batches-title = Lotes
batches-heading = Lotes de inscrições
batches-submitted = Enviado em
batches-failed = Com falha
batches-none = A equipe de { $organisation } não enviou nenhum lote nos últimos 90 dias.
batches-new = Inscrever muitos endereços ou cancelar inscrições
batches-file = Arquivo CSV
batches-file-help = Uma coluna email e, onde as linhas diferem, course_id, mode, action e language. No máximo 5.000 linhas.
batches-paste = Ou cole as linhas
batches-course = Curso das linhas que não indicam nenhum
batches-mode = Modalidade das linhas que não indicam nenhuma
batches-show = Ver as linhas
batches-nothing-yet = Nada é feito ainda.

## Before a batch is submitted

rows-title = Enviar?
rows-heading = { PLURAL($n) ->
    [one] Enviar { $n } linha?
   *[other] Enviar { $n } linhas?
}
rows-good = { PLURAL($n) ->
    [one] { $n } linha será processada. Um endereço inscrito que não tem conta recebe um convite.
   *[other] { $n } linhas serão processadas, uma após a outra. Um endereço inscrito que não tem conta recebe um convite.
}
rows-faulty = { PLURAL($n) ->
    [one] { $n } linha não pode ser processada, pelo motivo abaixo. Só ela falha: corrija-a no arquivo ou deixe-a.
   *[other] { $n } linhas não podem ser processadas, pelos motivos abaixo. Só elas falham: corrija-as no arquivo ou deixe-as.
}
rows-back = Voltar sem enviar
rows-submit = { PLURAL($n) ->
    [one] Enviar { $n } linha
   *[other] Enviar { $n } linhas
}
rows-some = Linhas: { $shown } de { $total }, primeiro as com erro
rows-fault = Erro

## One batch

batch-title = Lote
batch-all-rows = Todas as linhas
batch-failed-rows = Linhas com falha
batch-download-failed = Baixar as linhas com falha
batch-download-all = Baixar todas as linhas
batch-result = Resultado
batch-none-failed = Nenhuma linha falhou.
batch-no-rows = Não há linhas nesta página.

### The catalog: what the shop sells

catalog-title = Catálogo
catalog-filter = Nome ou identificador do curso
catalog-intro = As alterações chegam à loja em segundos. Os pedidos já feitos mantêm o preço. Uma sincronização com a plataforma de cursos mantém o que é definido aqui; uma importação pode substituí-lo.
catalog-not-published = não publicado
catalog-in-no-list = fora das listas
catalog-on-sale = à venda
catalog-no-mode-on-sale = nenhuma modalidade à venda
catalog-starts = começa em { $date }
catalog-publish = Publicado: a loja o mostra e o vende
catalog-hide = Fora das listas: só quem tem o link o encontra
catalog-sell = À venda
catalog-save = Salvar o que a loja mostra
catalog-until = até { $date }
catalog-from = a partir de { $date }
catalog-price = Preço em { $currency }
catalog-save-mode = Salvar { $mode }
catalog-dated = Preços com prazo
catalog-dated-text = É cobrado o menor preço em vigor. Informe um preço ou uma porcentagem. Uma data vazia não é limite.
catalog-dated-name = Nome, por exemplo Compra antecipada
catalog-dated-percent = Ou desconto em porcentagem
catalog-dated-add = Adicionar o preço com prazo
catalog-waiting-list = Lista de espera
catalog-waiting = Esperando: { $waiting }; vaga oferecida: { $offered }; compradas: { $bought }; expiradas ou recusadas: { $lapsed }.
catalog-first-email = Endereço de e-mail que será o próximo
catalog-first = Colocar em primeiro lugar
catalog-dated-remove = Remover { $name }
catalog-no-mode = O curso não tem modalidades, por isso nada dele é vendido. As modalidades vêm da plataforma de cursos ou de uma importação.
catalog-none-found = Nenhum curso de { $organisation } tem isto no nome ou no identificador.
catalog-none = { $organisation } ainda não tem cursos. Eles vêm da plataforma de cursos ou de uma importação, que um operador configura.

### Events, and the endpoints (addresses of other programs) that receive them

events-title = Eventos
events-disabled = desativado
events-failing = com falhas
events-enabled = ativo
events-gets = Recebe { $types }.
events-waiting = { PLURAL($n) ->
    [one] { $n } evento pendente.
   *[other] { $n } eventos pendentes.
}
events-failing-since = Nenhuma entrega teve sucesso desde { $date }.
events-disabled-on = Desativado em { $date }:
events-enable-text = Corrija primeiro o receptor. Depois de ativado, ele recebe tudo o que perdeu.
events-enable = Ativar
events-change = Alterar os tipos ou o segredo, ou remover o endpoint
events-types = Eventos que recebe
events-save-types = Salvar os tipos
events-secret-text = Um novo segredo é mostrado uma única vez, na próxima página. Durante um dia, o atual assina junto com ele.
events-secret = Criar um novo segredo
events-remove-text = { PLURAL($n) ->
    [one] Depois de removido, ele não recebe mais eventos, e { $n } evento pendente não é entregue. O feed mantém todos eles.
   *[other] Depois de removido, ele não recebe mais eventos, e { $n } eventos pendentes não são entregues. O feed mantém todos eles.
}
events-remove = Remover { $url }
events-deliveries = Entregas a { $url }
events-event = Evento
events-happened = Ocorrido em
events-attempts = Tentativas
events-last-answer = Última resposta
events-next = próxima tentativa: { $date }
events-failed = { PLURAL($n) ->
    [one] A última tentativa de { $n } evento falhou.
   *[other] As últimas tentativas de { $n } eventos falharam.
}
events-send-failed = Enviar todos novamente
events-send-again = Reenviar
events-send-this-again = Reenviar { $type } de { $date }
events-none-yet = Ainda não houve nenhum evento para este endpoint.
events-none = { $organisation } não tem nenhum endpoint para eventos. A sua equipe técnica indica um endereço; os eventos também podem ser lidos no feed.
events-new = Enviar eventos para um endereço
events-new-text = A próxima página mostra, uma única vez, o segredo que assina os eventos.
events-new-submit = Enviar eventos para ele

## The page that shows a secret once

secret-title = Segredo
secret-heading = O segredo que assina os eventos
secret-text = Entregue-o agora à equipe técnica do receptor, por um canal seguro: não é possível mostrá-lo de novo. Se ele se perder, crie um novo. O segredo que o receptor tem agora assina junto com ele durante um dia.
secret-back = Voltar aos eventos

### The staff

staff-title = Equipe
staff-heading = Equipe de { $organisation }
staff-person = Pessoa
staff-roles = Funções
staff-since = Desde
staff-remove = Remover
staff-remove-person = Remover { $email } da equipe
staff-add = Adicionar uma pessoa ou alterar as funções dela
staff-email = E-mail da conta da pessoa
staff-support = Atendimento: e-mails, endereços, inscrições, alertas
staff-finance = Financeiro: reembolsos, desistências, relatórios
staff-manager = Gestor: cupons, vagas, lotes, a equipe
staff-only-managers = Somente um gestor da sua organização pode alterar esta lista.

### What the last form did: one line at the top of the next page

done-receipt = A mensagem está a caminho.
done-address = O endereço foi corrigido e o que aguardava por ele foi transferido. O novo endereço recebe seus e-mails automaticamente: o recibo e, sem conta, o convite.
done-alert = O alerta foi fechado.
done-invoice = A fatura foi corrigida. A nova está a caminho do comprador.
done-invoice-asked = O financeiro foi consultado. Até lá a fatura fica como está.
done-invoice-refused = O pedido foi recusado. A fatura fica como está.
done-invitation = O convite está a caminho.
done-refund = O reembolso está em andamento. O status dele está abaixo.
done-payment = O pagamento foi registrado.
done-refund-arrived = O reembolso chegou.
done-refund-back = O reembolso voltou. O dinheiro conta novamente como seu.
done-payment-returned = O pagamento não conta mais.
done-payment-cancelled = O pedido foi encerrado.
done-document = O resultado está registrado.
done-move = A transferência está em andamento. O acesso antigo é encerrado assim que a plataforma de cursos confirmar o novo.
done-mails = O e-mail está a caminho.
done-enrollments = A solicitação foi enviada de novo à plataforma de cursos.
done-withdrawal = A desistência foi decidida.
done-dead-letters = A mensagem foi tratada. Se ela falhar de novo, volta a esta lista.
done-staff = A equipe foi alterada.
done-vouchers = { PLURAL($n) ->
    [one] { $n } cupom está pronto.
   *[other] { $n } cupons estão prontos.
}
done-voucher = O cupom foi alterado.
done-assigned = Os endereços foram salvos e recebem as vagas um a um.
done-freed = A vaga está livre de novo.
done-revoked = O acesso foi encerrado. A vaga continua consumida.
done-no-seat = O endereço não tinha mais vaga. Nada foi feito.
done-reminded = Quem não se cadastrou e não recebeu um e-mail no último dia recebe um lembrete.
done-none-reminded = Nenhum lembrete foi enviado: todos os endereços se cadastraram ou receberam um e-mail no último dia.
done-batch = As linhas foram salvas e são processadas uma a uma.
done-catalog = O curso foi alterado. A loja mostra a alteração em segundos.
done-endpoints = O endpoint foi ativado. Ele recebe os eventos que perdeu.
done-endpoint-changed = O endpoint foi alterado. Se você não viu o segredo dele, crie um novo.
done-deliveries = O evento está a caminho de novo.
done-deliveries-failed = Todos os eventos que haviam falhado estão novamente a caminho.
done-month = O mês está fechado.

### What went wrong: a title, and the next step

problem-signed-out = Sua sessão foi encerrada
problem-signed-out-text = Entre em outra aba deste navegador e depois volte aqui. Nada foi feito ainda.
problem-sign-in = Entrar
problem-not-allowed = Você não tem permissão para fazer isto
problem-not-allowed-text = Peça a função a um gestor da sua organização ou volte.
problem-not-found = Não encontrado
problem-not-found-text = Verifique o link ou busque de novo.
problem-file = Não deu certo
problem-file-text = Nada foi feito. Volte e envie um arquivo menor, em CSV.
problem-sent-before = Este formulário já foi enviado
problem-sent-before-text = Daquela vez, ele foi enviado com outros dados. Veja primeiro o que ele fez; se você enviar o formulário de novo a partir daqui, a ação é feita outra vez.
problem-invalid = Não deu certo
problem-invalid-text = Corrija o que está indicado abaixo e envie de novo, ou volte.
problem-running = Esta ação já está em andamento
problem-running-text = Espere um momento e verifique de novo antes de repetir algo.
problem-contradiction = Isso contradiz o que está registrado
problem-contradiction-text = Nada foi alterado. Compare com o que diz o outro sistema.
problem-no-answer = Ainda sem resposta
problem-no-answer-text = Ainda pode acontecer. Verifique de novo; reenviar este formulário não faz nada duas vezes.
problem-too-many = Solicitações demais
problem-too-many-text = Espere um momento e envie de novo.
problem-unavailable = Isto não funciona agora
problem-unavailable-text = Nada foi feito. Tente de novo em instantes; reenviar este formulário não faz nada duas vezes.
problem-send-again = Enviar este formulário de novo
problem-start = Ir para a página inicial
problem-email = E-mail

## Faults of a form: what is wrong with { $field }. { $fault } is English, such as: is not a number, such as 12.50.
## Other languages put a colon between the two.

problem-fault = { $field }: { $fault }.
fault-order = Pedido
fault-address = Endereço
fault-reason = Motivo
fault-amount = Valor
fault-reference = A referência
fault-day = O dia
fault-enrollment = Inscrição
fault-mail = E-mail
fault-message = Mensagem
fault-endpoint = Endpoint
fault-event = Evento
fault-line = Item
fault-course = Curso
fault-waive = Opção de preço diferente
fault-file = Arquivo

## Refusals as sentences. The key of each is what the programs say in English.

refusal-your-account-lacks-the-role-support = Sua conta não tem a função de atendimento.
refusal-your-account-lacks-the-role-finance = Sua conta não tem a função de financeiro.
refusal-your-account-lacks-the-role-manager = Sua conta não tem a função de gestor.
refusal-is-required-for-the-record = É obrigatório, para o registro: { $field }.
refusal-is-not-an-email-address = Não é um endereço de e-mail: { $field }.
refusal-is-not-a-number-such-as-12-50 = “{ $field }” não é um número, como 12,50.
refusal-is-not-clear-write-1000-for-a-thousand-and-1-00-for-one = “{ $field }” não está claro: escreva 1000 para mil e 1,00 para um.
refusal-is-the-order-s-address-already = O pedido já tem este endereço.
refusal-was-bought-by-an-account-whose-owner-changes-the-address-at-the-course-platform = Foi comprado por uma conta: o titular muda o endereço na plataforma de cursos.
refusal-waits-for-its-payment-or-has-ended-only-an-order-that-is-complete-can-be-corrected = O pedido aguarda pagamento ou terminou. Só um pedido completo pode ser corrigido.
refusal-has-opened-a-course-under-this-address-already-or-was-upgraded-or-moved = Um curso já foi aberto com este endereço, ou o pedido foi atualizado ou transferido.
refusal-has-the-same-order-already = Este endereço já tem o mesmo pedido.
refusal-is-not-a-course-of-the-organisation = Sua organização não tem nenhum curso com este identificador.
refusal-is-not-on-sale-in-this-mode-or-the-buyer-has-it-already = O curso não está à venda nesta modalidade, ou o comprador já o tem.
refusal-gives-no-access-that-can-be-moved = O item não dá nenhum acesso que possa ser transferido.
refusal-is-what-the-line-gives-already = O item já dá isto.
refusal-leads-to-what-this-person-has-already = A pessoa já tem este curso.
refusal-is-sold-out = O curso está esgotado.
refusal-is-being-moved-the-course-platform-has-not-confirmed-it-yet = O item está sendo transferido: a plataforma de cursos ainda não confirmou.
refusal-has-no-invoice = O pedido não tem fatura.
refusal-has-refunds-so-its-invoice-stays-as-it-is = O pedido tem reembolsos, por isso a fatura fica como está.
refusal-was-corrected-three-times-already = A fatura já foi corrigida três vezes.
refusal-changes-the-tax-refund-the-order-and-sell-it-again = Este endereço altera o imposto: reembolse o pedido e venda-o de novo.
refusal-waits-for-no-other-invoice = O financeiro não é mais consultado sobre este pedido.
refusal-has-no-receipt-it-is-not-paid-or-its-courses-are-not-open-yet = Não há recibo: o pedido não foi pago ou seus cursos ainda não foram abertos.
refusal-has-no-open-alert = O pagamento não tem mais nenhum alerta aberto.
refusal-is-the-last-manager-an-operator-can-change-that = É o último gestor; um operador pode mudar isso.
refusal-is-not-over-yet = O mês ainda não terminou.
refusal-is-closed-already = O mês já está fechado.
refusal-is-not-a-month-such-as-2026-11 = “{ $field }” não é um mês, como 2026-11.
refusal-is-not-of-an-account-that-has-bought-or-enrolled-here-an-operator-can-add-it = Nenhuma conta com este endereço comprou ou se inscreveu aqui; um operador pode adicioná-la.
