# Brazilian Portuguese. Address the reader as você.

### Mails

## Every mail

mail-order = Pedido { $order }
mail-invoice-attached = A fatura { $number } está anexada.
mail-credit-note-attached = A nota de crédito { $number } está anexada.
mail-open-course = Ir para o seu curso
mail-begins = Início, também no arquivo de calendário anexo:
mail-begins-at = { $course }: { $moment } ({ $zone })
mail-open-invoice = Ver a sua fatura
mail-open-credit-note = Ver a sua nota de crédito
mail-create-account = Criar a sua conta
mail-reason = { $organisation } envia esta mensagem porque há um pedido ou uma matrícula com este endereço.
mail-contact = Dúvidas? Responda a esta mensagem ou escreva para { $email }.

## Receipt: after an order was paid or was free

receipt-subject = Seu recibo de { $organisation }
receipt-heading = Obrigado pela sua compra
receipt-bought = Isto é o que você comprou de { $organisation } em { $date }:
receipt-voucher = O cupom { $code } economizou { $amount } para você.
receipt-courses = Seus cursos estão na sua conta. Se você ainda não tem uma, outra mensagem mostra como criá-la com este endereço de e-mail.
receipt-agreed = Em { $date }, você concordou:
receipt-agreed-terms = com os termos de venda
receipt-agreed-version = com os termos de venda, versão { $version }
receipt-agreed-begin = que comecemos antes do fim do prazo de arrependimento, como você pediu expressamente
receipt-agreed-service = que você perde o direito de arrependimento quando o serviço tiver sido totalmente prestado
receipt-agreed-content = que com isso você perde o direito de arrependimento

invoice-subject = Sua fatura de { $organisation }
invoice-heading = Obrigado pelo seu pedido
invoice-ordered = Isto é o que você pediu a { $organisation } em { $date }:
invoice-pay = Transfira { $amount } para esta conta até { $date }. Informe a referência { $reference }.
cancelled-subject = Sua fatura de { $organisation } foi cancelada
cancelled-heading = Sua fatura foi cancelada
cancelled-text = O pedido foi cancelado: não há nada a pagar, e você não tem mais acesso aos cursos.
transfer-subject = Como pagar o seu pedido a { $organisation }
document-again-subject = Seu documento de { $organisation }
document-again-heading = Aqui está o seu novo link
document-again-text = Um novo link foi solicitado na página deste documento. Você não precisa guardar os anteriores.
document-follows-subject = Seu documento de { $organisation }
document-follows-heading = Aqui está o seu documento
document-follows-text = Ele pertence a este pedido. Se já enviamos uma versão anterior, ele a substitui.

## An invoice that was corrected

corrected-subject = Sua fatura corrigida de { $organisation }
corrected-heading = Sua fatura foi corrigida
corrected-text = A nova fatura substitui a anterior. Nada mais muda no seu pedido.

## A place that has moved to another course or person

moved-subject = Uma alteração no seu pedido em { $organisation }
moved-heading = Sua vaga foi transferida
moved-to-course = Sua vaga em { $from } agora é em { $to }. Nada é cobrado nem reembolsado por isso.
moved-to-person = Sua vaga em { $to } agora é de outra pessoa, como foi pedido. Nada é cobrado nem reembolsado por isso.
access-ends-subject = Seu acesso a um curso de { $organisation } termina em breve
access-ends-heading = Seu acesso termina em breve
access-ends-text = { $date } é o último dia do seu acesso a { $course }.
access-ends-again = Se você comprar de novo, o novo período começa depois do atual.
access-over-subject = Seu acesso a um curso de { $organisation } terminou
access-over-heading = Seu acesso terminou
access-over-text = { $date } foi o último dia do seu acesso a { $course }.
access-buy-again = Comprar de novo

## The waiting list of a full course

waiting-confirm-subject = Uma vaga em um curso de { $organisation }: confirme, por favor
waiting-confirm-heading = Quer esperar por uma vaga?
waiting-confirm-text = { $course } está lotado. Você, ou outra pessoa com este endereço, pediu para ser avisado quando houver uma vaga. Se não foi você, não precisa fazer nada: este endereço será esquecido depois de uma semana.
waiting-listed-subject = Você está na lista de espera de { $organisation }
waiting-listed-heading = Você está na lista de espera
waiting-listed-text = Quando houver uma vaga em { $course } e for a sua vez, você receberá um e-mail. A vaga ficará reservada para você por algum tempo.
waiting-leave-hint = Você pode sair da lista a qualquer momento:
waiting-offered-subject = Há uma vaga em um curso de { $organisation }
waiting-offered-heading = Há uma vaga para você
waiting-offered-text = Uma vaga em { $course } está reservada para você até { $date } às { $time } ({ $zone }). Depois disso, ela vai para a próxima pessoa.
waiting-code = O código { $code } dá a vaga somente a este endereço de e-mail.

## Refund

refund-subject = Seu reembolso de { $organisation }
refund-heading = Seu reembolso de { $amount }
refund-lines = { $organisation } reembolsou { $amount } do seu pedido:
refund-time = O dinheiro volta pelo mesmo meio com que você pagou. Pode levar até dez dias para chegar.

## Invitation: to somebody who has courses but no account yet

invitation-subject = Sua vaga em { $organisation }
invitation-heading = Há uma vaga reservada para você
invitation-courses = { $organisation } reservou uma vaga para você em:
invitation-how = Para começar a aprender, crie a sua conta com este endereço de e-mail.
invitation-afterwards = Seus cursos aparecem na sua conta assim que ela estiver ativa. Se você já tem uma conta com outro endereço, crie uma com este ou peça a { $organisation } que o altere.
invitation-unexpected = Se você não esperava esta mensagem, pode ignorá-la: nada acontece sem você.

## Seats ready: to somebody who bought places for others

seats-subject = Suas vagas de { $organisation }
seats-heading = { PLURAL($seats) ->
    [one] Sua vaga está pronta
   *[other] Suas { $seats } vagas estão prontas
}
seats-ready = { PLURAL($seats) ->
    [one] Você já pode distribuir { $seats } vaga em { $item } de { $organisation }.
   *[other] Você já pode distribuir { $seats } vagas em { $item } de { $organisation }.
}
seats-manage = Atribua-as a pessoas pelo endereço de e-mail, veja quem tem uma e retome vagas.
seats-open = Gerenciar as suas vagas
seats-link = Este link abre as suas vagas por um ano. Dê-o somente a quem pode gerenciá-las.
seats-code = Envie este código a outras pessoas: cada uma pode ocupar uma vaga ao pedir { $item } com ele.
seats-code-too = Ou envie este código a outras pessoas: cada uma pode ocupar uma vaga ao pedir { $item } com ele.

## Seat assigned: to somebody for whom another person has bought a place. { $giver } is that person's address, or the seller

seat-subject = Sua vaga em { $organisation }
seat-heading = Você tem uma vaga em { $item }
seat-heading-reminder = Sua vaga em { $item } ainda espera por você
seat-given = { $giver } deu a você uma vaga em { $item }, em { $organisation }.
seat-in-account = Ela está na sua conta.
seat-afterwards = Seus cursos aparecem na sua conta assim que ela estiver ativa. Se você já tem uma conta com outro endereço, peça a { $giver } que use esse.
seat-unexpected = Se você não esperava esta mensagem, pode ignorá-la.
gift-subject = Um presente para você em { $organisation }
gift-heading = { $giver } dá a você { $item }
gift-planned-heading = Seu presente está pronto
gift-planned = { $recipient } recebe a vaga em { $date }.
gift-given-now = Ele está a caminho de { $recipient }.
gift-change = Até lá você pode atribuí-la a outra pessoa.

## Withdrawal from the contract

withdrawal-subject = Sua desistência em { $organisation }
withdrawal-heading = Sua desistência foi recebida
withdrawal-received = { $organisation } recebeu a sua desistência em { $date } às { $time }:
withdrawal-name = Nome: { $name }
withdrawal-email = E-mail: { $email }
withdrawal-keep = Guarde esta mensagem: ela confirma o que você declarou e quando.
withdrawal-unproved = Nada nos mostrou ainda que você é quem comprou. A desistência conta a partir do horário acima e será executada em { $date }. Se você não a declarou, diga isso antes, e nada acontece até que { $organisation } tenha perguntado a você.
withdrawal-object = Não fui eu que desisti
withdrawal-refused-subject = Sua desistência em { $organisation } não foi aceita
withdrawal-refused-heading = Sua desistência não foi aceita
withdrawal-refused = { $organisation } analisou a desistência que você declarou em { $date } e não a aceitou:
withdrawal-disagree = Se você não concorda, escreva para { $organisation }.

### Mails, pages and invoices

item-seats = { PLURAL($seats) ->
    [one] { $item }, { $seats } vaga
   *[other] { $item }, { $seats } vagas
}
order-tax = Imposto
order-tax-included = imposto incluído
order-total = Total
# The link of receipts, and the title of the page to which it leads.
withdraw-here = Desistir do contrato aqui

# The buttons of mails about a waiting list, and of the page to which they lead.
waiting-confirm = Sim, quero entrar na lista
waiting-leave = Sair da lista
waiting-buy = Ficar com a vaga
waiting-decline = Não quero a vaga

### Pages

## The payment page

page-payment = Pagamento – { $organisation }
page-your-order = Seu pedido
page-pay = Pagar { $amount }
page-loading = Carregando…
page-moment = Um momento…
page-back = Voltar para { $shop }
page-no-script = O pagamento precisa de JavaScript, que está desativado no seu navegador.
page-no-provider = Não foi possível acessar o provedor de pagamento. Recarregue esta página em instantes.
page-failed = Esse pagamento não foi concluído. Tente novamente ou use outro cartão.
page-unfinished = O pagamento não foi finalizado.
page-again = Isso não funcionou. Tente novamente.
page-confirming = Estamos aguardando a confirmação do seu pagamento…
page-unconfirmed = Seu pagamento ainda não foi confirmado. Você receberá uma mensagem assim que for; por favor, não pague de novo.
page-transfer = Transfira { $amount } para esta conta até { $date }. Informe a referência, para que o seu pagamento seja identificado.
page-transfer-account = Conta
page-transfer-reference = Referência
transfer-code = Escaneie este código com o aplicativo do seu banco para preencher a transferência.
page-transfer-partly = Recebido: { $received }. Falta pagar: { $open }.
page-transfer-later = Você receberá uma mensagem assim que o pagamento chegar, e então os seus cursos serão liberados.

## The standing of an order: a word for lists, sentences for its buyer

standing-open = não concluído
standing-waiting = aguardando o pagamento
standing-at-bank = aguardando o banco
standing-transfer = aguardando a transferência
standing-on-account = fatura em aberto
standing-overdue = fatura vencida
standing-opening = pago
standing-registration = aguardando o cadastro
standing-refused = acesso recusado
standing-complete = concluído
standing-ended = acesso encerrado
standing-partly-refunded = reembolsado em parte
standing-refunded = reembolsado
standing-disputed = pagamento contestado
standing-lost = retomado pelo banco
standing-cancelled = cancelado
standing-expired = expirado
standing-replaced = substituído
standing-payment-open = Este pedido ainda não foi concluído. Você pode continuar na loja.
standing-payment-free = Seu pedido está concluído.
standing-payment-waiting = Seu pagamento ainda não foi confirmado. Esta página o mostrará assim que for.
standing-payment-at-bank = Estamos aguardando o seu banco, o que pode levar alguns dias. Você receberá uma mensagem assim que o pagamento chegar; por favor, não pague de novo.
standing-payment-transfer = Estamos aguardando a sua transferência. Você receberá uma mensagem assim que ela chegar.
standing-payment-on-account = Pague a fatura até o vencimento.
standing-payment-overdue = A fatura está vencida. Pague-a agora.
standing-payment-paid = Obrigado, seu pagamento chegou.
standing-payment-partly-refunded = Uma parte deste pedido foi reembolsada.
standing-payment-refunded = Este pedido foi reembolsado.
standing-payment-disputed = Foi pedido ao seu banco que retome este pagamento, e ele ainda não decidiu.
standing-payment-lost = Seu banco retomou este pagamento.
standing-payment-cancelled = Este pedido foi encerrado. Você pode começar de novo na loja.
standing-payment-expired = Este pedido não foi pago a tempo. Você pode começar de novo na loja.
standing-payment-replaced = Este pedido foi substituído por outro, e o seu banco ainda processa o pagamento dele. Por favor, não o pague de novo.
standing-access-opening = Seus cursos estão sendo liberados.
standing-access-registration = Seus cursos são liberados assim que você se cadastrar com o seu endereço.
standing-access-open = Seus cursos estão na sua conta.
standing-access-seats = Você pode distribuir as vagas.
standing-access-refused = A plataforma de cursos recusou o acesso; a organização está verificando.
standing-access-ended = O acesso aos cursos terminou.
standing-access-account = Seus cursos estão na conta com o seu endereço, assim que ela existir.
status-replaced = Este pagamento foi substituído por outro. Conclua aquele ou comece de novo na loja.

## The page of withdrawal, in two steps. Article 11a of Directive 2011/83/EU asks for the words of withdraw-here (above) and
## withdraw-confirm, or others as unambiguous: these are those of its official version, where the language has one

withdraw-confirm = Confirmar desistência
withdraw-intro = Use este formulário para desistir de um contrato. Você não precisa de uma conta nem de dar motivos.
withdraw-intro-shop = Use este formulário para desistir do seu contrato com { $organisation }. Você não precisa de uma conta nem de dar motivos.
withdraw-link-expired = O link que você seguiu não é mais válido. Mesmo assim, você pode declarar aqui a sua desistência.
withdraw-order = Número do pedido ou da fatura
withdraw-order-hint = Como aparece no seu recibo.
withdraw-name = Seu nome
withdraw-email = Seu e-mail
withdraw-email-hint = O endereço do seu pedido. Confirmaremos a sua desistência nele.
withdraw-items = Do que você desiste?
withdraw-item = Curso ou programa
withdraw-continue = Continuar
withdraw-check = Confira a sua declaração: desisto do contrato sobre este pedido.
withdraw-change = Alterar
withdraw-correct = Corrija o seguinte:
withdraw-no-order = Informe o número do seu pedido ou da sua fatura.
withdraw-no-name = Informe o seu nome.
withdraw-no-email = Informe o seu e-mail, por exemplo nome@example.com.
withdraw-no-item = Escolha pelo menos um.
withdraw-received = Sua desistência foi recebida
withdraw-received-at = Recebemos a sua declaração em { $date } às { $time }.
withdraw-acknowledged = Se ela se referir a um pedido deste endereço, você receberá por e-mail uma confirmação com o conteúdo dela.
withdraw-confirmed = Você receberá por e-mail uma confirmação com o conteúdo dela.
withdraw-objection = Você não declarou isto?
withdraw-objection-text = Alguém declarou a desistência do seu pedido sem mostrar que é você. Se não foi você, diga isso aqui. Nada acontece até que o vendedor tenha perguntado a você.
withdraw-objected = Obrigado. O vendedor vai analisar isto primeiro; até lá, o seu pedido fica como está.
withdraw-object-late = Não há mais nada a contestar: esta desistência já foi decidida, retirada ou contestada, ou este link não é mais válido.

## The page of a waiting list

waiting-page-title = Lista de espera
waiting-page-full = { $course } está lotado. Quer ser avisado quando houver uma vaga?
waiting-page-listed = Você está na lista de espera de { $course }. Você receberá um e-mail quando for a sua vez.
waiting-page-offered = Uma vaga em { $course } está reservada para você até { $date } às { $time } ({ $zone }).
waiting-page-ended = Você não está, ou não está mais, na lista de espera deste curso.

## The page for buying what a link of the course platform names

buy-seats-offer = Vagas para outras pessoas, preço de uma
buy-upgrade = upgrade de { $mode }
buy-voucher-accepted = O código { $code } foi aplicado.
buy-voucher-refused = O código { $code } não se aplica a este pedido. Este é o preço sem ele.
buy-seats = Número de vagas
buy-name = Nome
buy-line1 = Rua e número
buy-line2 = Complemento
buy-city = Cidade
buy-state = Estado ou província
buy-postal-code = CEP ou código postal
buy-country = País (duas letras, por exemplo BR)
buy-consent-terms = Concordo com os termos de venda.
buy-consent-begin-now = Quero começar antes do fim do prazo de arrependimento.
buy-consent-loses-right = Sei que com isso perco o direito de arrependimento.
buy-terms = Termos de venda
buy-enroll = Inscrever-se
buy-continue = Continuar para o pagamento
buy-back = Voltar aos seus cursos

## Instead of that page

buy-not-sold = Isto não está à venda
buy-not-sold-text = O curso ou o certificado não pode ser comprado aqui, ou não pode mais. Volte ao curso e abra a página de novo a partir dele.
buy-apart = Compre estes cursos um por um
buy-apart-text = Estes cursos são vendidos por organizações diferentes. Abra cada curso e compre-o nele.
buy-inactive = Confirme o seu e-mail
buy-inactive-text = Você recebeu um e-mail com um link quando se cadastrou. Abra esse link e depois volte a esta página.
buy-held = Você já tem isto
buy-held-text = Não há nada a pagar. O curso está na sua conta.
buy-refused = Isto não pode ser comprado agora
buy-refused-text = O curso pode estar lotado, com as inscrições encerradas ou já na sua conta.
buy-faulty = Confira o que você informou
buy-faulty-text = Volte e corrija o seguinte:
# $label is buy-seats.
buy-faulty-seats = { $label } (de 1 a { $most })
buy-signed-out = Entre de novo
buy-signed-out-text = Sua sessão terminou. Abra a página de novo a partir do seu curso.
buy-not-admitted = Você não pode comprar desta organização
buy-not-admitted-text = Ela vende apenas aos próprios alunos. Peça acesso a ela.
buy-no-payments = Esta loja ainda não aceita pagamentos
buy-no-payments-text = Tente de novo mais tarde ou pergunte à organização.
buy-failed-text = Abra-a de novo em instantes. Nada foi cobrado de você.

## The page of a learner's orders

history-title = Seus pedidos
history-none = Você ainda não comprou nada.
history-refunded = { $amount } reembolsados
history-invoice = Fatura { $number }
history-credit-note = Nota de crédito { $number }

## Instead of a page that cannot be shown

problem-expired = Este link expirou
problem-expired-text = Os links para um pedido funcionam só por pouco tempo. Se você já pagou, não precisa fazer mais nada: seus cursos serão liberados assim que o pagamento chegar, e você receberá um recibo por e-mail. Para ver o seu pedido, ou pagá-lo se ainda não o fez, volte à loja e entre na sua conta.
problem-invalid = Este link não é mais válido
problem-invalid-text = Os links para um pedido funcionam só por pouco tempo. Entre na sua conta e abra o pedido de novo na loja.
problem-not-found = Pedido não encontrado
problem-not-found-text = Esse pedido não existe ou não é seu. Verifique o link.
problem-too-many = Solicitações demais
problem-too-many-text = Espere um momento e abra a página de novo.
problem-other = Esta página não pode ser exibida agora
problem-other-text = Abra-a de novo em instantes. Seu pedido não é afetado.
problem-unseen = Você não está conectado aqui
problem-unseen-text = Você entrou na plataforma, mas o seu navegador não informa isso a esta página. Permita cookies para este site e abra a página de novo.
problem-again-text = Abra-a de novo em instantes.
problem-document-text = Os links para faturas e notas de crédito funcionam por 90 dias, e só completos. Podemos enviar um novo para o endereço que recebeu a primeira mensagem.
problem-document-send = Enviar um novo link
problem-document-sent = Um novo link está a caminho
problem-document-sent-text = Veja a caixa de entrada que recebeu a primeira mensagem. Pode levar alguns minutos; no máximo três mensagens são enviadas por dia.
problem-invitation = Este link está incompleto
problem-invitation-text = Abra a mensagem de novo e use o botão dela, ou copie o link inteiro. Você também pode criar a sua conta sem ele: use o endereço que recebeu a mensagem, e seus cursos aparecerão lá.

### Invoices and credit notes

document-invoice = Fatura
document-credit-note = Nota de crédito
document-number = Número
document-for-invoice = Referente à fatura
document-issued = Data de emissão
document-supplied = Data do fornecimento
document-place-of-supply = Local da prestação
document-order = Pedido
document-reference = Referência
document-paid-through = Pago por
document-due = Vencimento
document-payment-reference = Referência de pagamento
document-pay-to = Pague nesta conta: { $account }
document-bank-transfer = Transferência bancária
document-billed-to = Faturado para
document-tax-id = Identificação fiscal { $number }
document-description = Descrição
document-quantity = Quantidade
document-each = { $price } por unidade, sem impostos
document-net = Líquido
document-rate = Alíquota
document-tax = Imposto
document-total = Total
document-total-credited = Total creditado
# Such as: USt 19 % of 200.00. The tax's name is the seller's legal word for it.
document-tax-of = { $tax } { $rate } de { $net }
document-converted-tax = Imposto em { $currency }: { $amount } (1 { $base } = { $rate } { $currency }, { $day }, { $source })
document-page = Página { $page } de { $pages }
# { $mode } is the kind of enrollment, such as verified; it is not translated.
document-line = { $item } ({ $mode })
document-line-seats = { $item } ({ $mode }, vagas)
document-line-upgrade = { $item } ({ $mode }, upgrade de { $from })
document-voucher = O cupom { $code } reduziu os preços em { $amount }.
document-reverse-charge = Autoliquidação: o IVA é devido pelo adquirente.
document-cleared-number = Número da autoridade
document-cleared = Validado
document-cleared-code = Escaneie este código para conferir este documento com a autoridade.
document-check-code = Escaneie este código para conferir este documento.

### The example shop

## On every page

shop-name = Loja de exemplo
shop-skip = Ir para o conteúdo
shop-courses = Cursos
shop-programs = Programas
shop-basket = Carrinho
shop-my-orders = Meus pedidos
shop-my-seats = Minhas vagas
shop-sign-in = Entrar
shop-sign-out = Sair
shop-footer = Cursos de várias organizações em uma loja. Você aprende na plataforma delas, com uma só conta.
shop-language = Idioma
shop-language-set = Trocar
shop-country-demo = País (demonstração)
shop-country-none = Não escolhido
shop-country-set = Definir

## Lists

shop-hero-title = Aprenda com quem faz
shop-hero-text = Cursos de academias independentes, com certificado se você quiser. Comece hoje, no seu ritmo.
shop-search = Buscar
shop-search-hint = Estatística, marcenaria, sânscrito…
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
shop-sort-new = Mais recentes
shop-sort-rating = Avaliação
shop-sort-price = Preço
shop-sort-name = Nome
shop-sort-set = Ordenar
shop-pages = Páginas
shop-pages-back = Voltar
shop-pages-next = Próxima
shop-nothing-found = Nada foi encontrado
shop-nothing-found-hint = Tente menos palavras ou outro tema.
shop-show-all = Mostrar tudo
shop-programs-offer = Leve vários cursos juntos e economize
shop-programs-all = Todos os programas
shop-new = Novo
shop-free = grátis
shop-instead-of = em vez de
shop-price-until = { $name }, até { $date }
shop-lowest-before = Menor preço dos 30 dias anteriores: { $amount }
shop-about = cerca de { $amount }
shop-percent-off = −{ $percent }
shop-rated = Avaliado com { $rating } de 5
shop-not-for-sale = Não está à venda no momento

## A course or a program

shop-self-paced = No seu ritmo
shop-scheduled = Com datas fixas
shop-outline = Conteúdo
shop-outline-size = { PLURAL($sections) ->
    [one] { $sections } seção
   *[other] { $sections } seções
}, { PLURAL($lessons) ->
    [one] { $lessons } aula
   *[other] { $lessons } aulas
}
shop-lessons = { PLURAL($count) ->
    [one] { $count } aula
   *[other] { $count } aulas
}
shop-access-days = { PLURAL($days) ->
    [one] Acesso por { $days } dia
   *[other] Acesso por { $days } dias
}
shop-access-until = Acesso até { $date }
shop-reviews = O que dizem os alunos
shop-choose = Escolha como aprender
shop-seats-offer = Comprar vagas para uma equipe
shop-seats-number = Número de vagas para outras pessoas
shop-gift-offer = Dar de presente
shop-gift = Um presente
shop-gift-hint = Quem recebe ganha a vaga e a sua mensagem no dia que você escolher. Sem endereço, você mesmo atribui a vaga.
shop-gift-email = Endereço de quem recebe
shop-gift-giver = Seu nome, como será lido
shop-gift-on = Dia (vazio: agora)
shop-gift-message = Sua mensagem
shop-error-gift-on = Escolha hoje ou um dia posterior, dentro de um ano.
shop-gift-alone = Um presente é um pedido à parte: peça-o sem os outros itens.
shop-add = Adicionar ao carrinho
shop-not-for-sale-hint = A organização dá acesso por convite ou encerrou as inscrições.
shop-full = Este curso está lotado
shop-full-hint = Quando houver uma vaga e for a sua vez, você receberá um e-mail, e a vaga ficará reservada para você por algum tempo.
shop-wait = Esperar por uma vaga
shop-waiting-listed = Você está na lista de espera.
shop-waiting-asked = Enviamos um e-mail para você. Confirme nele que quer esperar.
shop-has-code = Você tem um código para uma vaga?
shop-included = Incluído
shop-starts = Começa em { $date }
shop-started = Já começou: você pode entrar hoje
shop-open-until = Aberto até { $date }
shop-certificate = Um certificado na aprovação
shop-receipt-included = Recibo por e-mail
shop-duration-hours = { PLURAL($count) ->
    [one] { $count } hora
   *[other] { $count } horas
}
shop-duration-days = { PLURAL($count) ->
    [one] { $count } dia
   *[other] { $count } dias
}
shop-duration-weeks = { PLURAL($count) ->
    [one] { $count } semana
   *[other] { $count } semanas
}
shop-duration-months = { PLURAL($count) ->
    [one] { $count } mês
   *[other] { $count } meses
}
shop-duration-years = { PLURAL($count) ->
    [one] { $count } ano
   *[other] { $count } anos
}
shop-program-courses = Os cursos, em ordem
shop-achievements = O que você terá no fim
shop-program-all = Todos os cursos juntos
shop-program-alone = Comprados um a um
shop-program-saved = Você economiza
shop-program-single = Vendido curso por curso
shop-program-single-hint = Este programa não tem preço próprio. Escolha seus cursos.
shop-program-certificates = Um certificado para cada curso concluído

## Modes

shop-mode-audit = Sem certificado
shop-mode-honor = Certificado de honra
shop-mode-verified = Certificado verificado
shop-mode-professional = Profissional
shop-mode-bootcamp = Bootcamp
shop-mode-executive-education = Educação executiva
shop-mode-credit = Com créditos acadêmicos
shop-mode-masters = Mestrado

## The basket

shop-basket-title = Seu carrinho
shop-basket-empty = Seu carrinho está vazio
shop-basket-empty-hint = Adicione um curso ou programa, e ele espera aqui por você.
shop-look-courses = Ver os cursos
shop-start-again = Começar de novo
shop-look-programs = Ver os programas
shop-price-changed = O preço mudou. Confira de novo, por favor.
shop-reverse-charge-applied = Nenhum imposto é cobrado: a sua identificação fiscal foi confirmada, e a sua empresa declara o imposto (autoliquidação).
shop-reverse-charge-invalid = O imposto é cobrado: o registro da UE não conhece esta identificação fiscal. Confira-a ou deixe-a em branco.
shop-reverse-charge-unavailable = O imposto é cobrado porque o registro da UE não consegue confirmar a identificação fiscal no momento. Para comprar sem imposto, tente de novo mais tarde.
shop-baskets-others = Cada academia tem o seu próprio carrinho. Você também tem:
shop-basket-items = { PLURAL($count) ->
    [one] { $count } item
   *[other] { $count } itens
}
shop-basket-full = Seu carrinho está cheio e nada foi adicionado. Compre primeiro o que está nele ou remova algo.
shop-error-required = Preencha este campo.
shop-error-check = Confira o que você informou.
shop-error-voucher = Este código não se aplica a este pedido.
shop-error-seats = Informe um número de vagas de 1 a 1000.
shop-error-item = Isto não pode ser comprado no momento. Remova-o.
shop-error-items = Estes itens não podem ser comprados juntos. Remova algum.
shop-error-emails = Confira os endereços: um por linha, no máximo 500.
shop-seats-count = { PLURAL($count) ->
    [one] { $count } vaga
   *[other] { $count } vagas
}
shop-upgrade = upgrade de: { $mode }
shop-remove = Remover
shop-item-course = Um curso
shop-item-program = Um programa
shop-subtotal = Subtotal
shop-regional = Desconto para o seu país
shop-discount = Desconto
shop-quote-until = Estes preços valem até { $date }.
shop-voucher-line = Cupom { $code }
shop-voucher = Cupom
shop-voucher-apply = Aplicar
shop-voucher-accepted = aceito
shop-voucher-refused = não aceito
shop-voucher-unknown = Este código não existe.
shop-voucher-not_started = Ainda não é válido.
shop-voucher-expired = Não é mais válido.
shop-voucher-exhausted = Não tem mais usos.
shop-voucher-not_for_these_items = Vale para outros cursos.
shop-voucher-currency = Vale para outra moeda.
shop-checkout = Finalizar a compra
shop-sign-in-hint = com uma conta, seus cursos ficam disponíveis na hora.
shop-email = E-mail
shop-email-hint = Enviamos o recibo para lá, e os cursos ficam na conta com este endereço.
shop-billing = Endereço de cobrança
shop-pay-by-invoice = Pagar com fatura, como empresa
shop-invoice-company = Para pagar com fatura, informe a empresa e a identificação fiscal (CNPJ) pela qual o vendedor a conhece.
shop-invoice-sent = A fatura será enviada para você por e-mail.
shop-optional = (se precisar dele na fatura)
shop-address-needed = (o pagamento precisa dos campos com *)
shop-field-name = Nome
shop-field-company = Empresa
shop-field-tax_id = Identificação fiscal (CNPJ)
shop-field-line1 = Rua
shop-field-city = Cidade
shop-field-postal_code = CEP
shop-field-state = Estado
shop-field-country = País
shop-consents = Antes de comprar
shop-consents-missing = Com este endereço há mais uma coisa a aceitar. Veja o que está indicado abaixo.
shop-terms = Ler os termos de venda
shop-consent-terms = Concordo com os termos de venda.
shop-consent-begin_now = Quero começar agora, antes do fim do prazo de arrependimento.
shop-consent-loses_right = Sei que com isso perco o direito de arrependimento.
shop-take = Obter os cursos
shop-buy-for = Comprar por { $amount }
shop-buy-hint = Você paga na próxima página. Os dados do cartão nunca chegam a esta loja.

## Payment

shop-payment = Pagamento
shop-leaving = Você paga na página do provedor
shop-leaving-hint = Ela se abre sozinha. Depois você volta ao seu pedido.
shop-leave = Ir agora
shop-pay-unavailable = Não foi possível acessar o provedor de pagamento.
shop-pay-kept = Seu pedido foi guardado e nada foi cobrado. Tente de novo, ou volte e escolha outra forma.
shop-pay-again = Tentar de novo

## Orders

shop-order-title = Seu pedido
shop-order-number = Pedido
shop-orders-title = Seus pedidos
shop-orders-none = Você ainda não tem pedidos
shop-orders-none-hint = O que você compra aparece aqui, com as faturas.
shop-timeline = Andamento do pedido
shop-step-placed = Pedido
shop-step-paid = Pago
shop-step-access = Acesso
shop-step-receipt = Recibo
shop-step-invoice = Fatura
shop-step-waiting = aguardando o provedor
shop-step-transfer = aguardando a sua transferência
shop-step-closed = não pago
shop-step-account = na conta com o seu endereço, assim que ela existir
shop-step-enrolled = seus cursos estão liberados
shop-step-seats = você pode distribuir as vagas
shop-step-working = um momento, por favor
shop-step-refused = a plataforma recusou; a organização está verificando
shop-step-ended = encerrado
shop-step-mail = no seu e-mail
shop-enrollment-none = ainda não
shop-enrollment-enrolled = inscrito
shop-enrollment-pending_registration = aguardando uma conta
shop-enrollment-removed = encerrado
shop-enrollment-refused = recusado pela plataforma
shop-refund = Pedir reembolso
shop-refund-until = até { $date }
shop-refunded = { $amount } reembolsados
shop-documents = Faturas e notas de crédito
shop-next = O que vem agora
shop-next-mail = O recibo está no seu e-mail.
shop-next-account = Entre com esse endereço para ver o pedido na sua conta.

## Seats

shop-seats-title = Suas vagas
shop-seats-none = Você não comprou vagas
shop-seats-none-hint = Você pode comprar vagas para outras pessoas em qualquer curso pago.
shop-seats-manage = Gerenciar as vagas
shop-seats-mail = O link no seu e-mail abre as vagas.
shop-seats-left = { PLURAL($left) ->
    [one] { $left } vaga livre de { $seats }
   *[other] { $left } vagas livres de { $seats }
}
shop-batch = Resultado de cada endereço
shop-batch-waiting = Esta página se atualiza até terminar todos os endereços.
shop-assigned = Quem tem uma vaga
shop-assigned-none = Ninguém ainda.
shop-seat = Vaga
shop-seat-pending = aguardando uma conta
shop-seat-enrolled = inscrito
shop-seat-ended = retomada
shop-take-back = Retomar
shop-remind = Lembrar quem não se cadastrou
shop-reminded = { PLURAL($count) ->
    [one] { $count } lembrete está a caminho.
   *[other] { $count } lembretes estão a caminho.
}
shop-reminded-recently = { PLURAL($count) ->
    [one] { $count } endereço recebeu uma mensagem no último dia e não recebe outra hoje.
   *[other] { $count } endereços receberam uma mensagem no último dia e não recebem outra hoje.
}
shop-reminded-none = Ninguém foi lembrado: nenhuma vaga aguarda um cadastro.
shop-taken-back-free = A vaga foi retomada. Você pode dá-la a outra pessoa.
shop-taken-back-spent = A vaga foi retomada e o acesso terminou. Ela estava em uso, por isso não pode ser dada de novo.
shop-taken-back-none = Nada mudou: este endereço não tem vaga.
shop-row-repeated = aparece duas vezes na lista
shop-row-used-up = não há mais vagas
shop-row-address = não é um endereço que receba e-mails
shop-row-refused = não recebeu vaga
shop-assign = Atribuir vagas
shop-assign-emails = Endereços de e-mail, um por linha
shop-assign-do = Atribuir
shop-code = Código:
shop-code-hint = Cada pessoa pode ocupar uma vaga ao comprar este curso com o código como cupom.

## Faults

shop-fault-missing = Esta página não existe
shop-fault-hint-missing = Ela pode ter mudado de lugar, ou o endereço tem um erro.
shop-fault-busy = Tentativas demais
shop-fault-hint-busy = Tente de novo em um minuto.
shop-fault-unavailable = Não deu certo
shop-fault-hint-unavailable = Um serviço de que precisamos não responde. Nada se perdeu: tente de novo em um momento.
shop-fault-foreign = Esse formulário veio de outro lugar
shop-fault-hint-foreign = Só as páginas desta loja podem enviar os formulários dela. Abra a página novamente aqui e envie o formulário a partir dela.
shop-fault-unreadable = Não foi possível ler isso
shop-fault-hint-unreadable = Algo no endereço ou no formulário não está certo. Volte e tente novamente.
shop-fault-refused = Não deu certo
shop-fault-hint-refused = Volte, confira o que você informou e tente de novo.
shop-fault-hint-link = Os links dos e-mails funcionam por tempo limitado. Entre com o endereço para o qual ele foi enviado, ou peça um novo link à organização.
shop-to-basket = Voltar ao carrinho

### The course platform's catalog

slot-buy-certificate = Comprar o certificado
slot-buy-course = Comprar o curso
slot-sold-out = Esgotado
slot-certificate-sold-out = Certificado: esgotado
slot-tax-rate = imposto de { $rate } incluído
slot-tax-included = imposto incluído
slot-tax-excluded = mais imposto
slot-price-before = Preço antes do desconto:
slot-price-now = Preço:
slot-program = Programa { $name }:
