//! The one list of all messages.

/// Hands the list of messages to a macro, which makes what it needs of each: the enum in `messages`, the call of its job in
/// the worker. A line has the job, the struct, the kind and what applies to the message; a command's also has its answer:
///
/// ```text
/// create_vouchers: CreateVouchers("page.create_vouchers.v1") -> CreatedVouchers [idempotency key staff];
/// ```
///
/// - `create_vouchers`: the file in `worker/src/jobs` whose function `run` is the job. Without it the worker does not build.
/// - `"page.create_vouchers.v1"`: the versioned kind. Its first word is the name of the queue that takes the message.
/// - `idempotency`: the answer is kept under the struct's field `idempotency`, if the caller has sent such a key.
/// - `key`: the worker checks the key that the struct's function `key_to_check` returns.
/// - `staff`: the worker checks the member of staff whom the struct's function `staff_to_check` returns.
/// - `read_only`: the job writes nothing, so that a repeat simply runs it again.
/// - `holds_addresses`: the answer names the addresses that it concerns, and an erasure looks for them there.
/// - `from_api`: the api sends the task. It sends every command; all other tasks come from the worker.
#[macro_export]
macro_rules! all_messages {
    ($receiver:ident) => {
        $receiver! {
            commands {
                start_checkout: StartCheckout("checkout.start.v1") -> CheckoutAnswer [idempotency];
                checkout_cart: CheckoutCart("checkout.cart.v1") -> CheckoutCartAnswer [idempotency];
                // With the checkouts, which wait for providers too. A refund keeps its idempotency key for good.
                refund_order: RefundOrder("checkout.refund.v1") -> RefundAnswer [key];
                // On a queue apart from checkouts, because most carts only need a quote.
                set_cart: SetCart("page.set_cart.v1") -> LearnerCart [idempotency];
                quote_basket: QuoteBasket("page.quote_basket.v1") -> QuotedBasket [read_only];
                show_payment: ShowPayment("page.show_payment.v1") -> ShownPayment [read_only];
                create_vouchers: CreateVouchers("page.create_vouchers.v1") -> CreatedVouchers [idempotency key staff];
                change_voucher: ChangeVoucher("page.change_voucher.v1") -> () [idempotency key staff];
                // It keeps its idempotency key for good, as a refund does.
                report_payment: ReportPayment("page.report_payment.v1") -> ReportedPayment [key];
                correct_invoice: CorrectInvoice("page.correct_invoice.v1") -> () [idempotency key];
                // A repeat of a report says the same, and changes nothing.
                report_document: ReportDocument("page.report_document.v1") -> () [key];
                // It waits for the course platform, as checkouts of learners do.
                move_line: MoveLine("page.move_line.v1") -> MoveAnswer [idempotency key];
                act_at_desk: ActAtDesk("page.act_at_desk.v1") -> () [idempotency key];
                // Without a key for repeats, which would keep the secret in its answer.
                keep_endpoint: KeepEndpoint("page.keep_endpoint.v1") -> KeptEndpoint [key];
                submit_batch: SubmitBatch("page.submit_batch.v1") -> SubmittedBatch [idempotency key staff];
                revoke_seats: RevokeSeats("page.revoke_seats.v1") -> RevokedSeats [idempotency key staff holds_addresses];
                remind_seats: RemindSeats("page.remind_seats.v1") -> RemindedSeats [idempotency key staff holds_addresses];
                decide_withdrawal: DecideWithdrawal("page.decide_withdrawal.v1") -> () [idempotency key];
                grant_enrollment: GrantEnrollment("enrollment.grant.v1") -> EnrollmentAnswer [idempotency];
                remove_enrollment: RemoveEnrollment("enrollment.remove.v1") -> EnrollmentAnswer [idempotency];
            }
            tasks {
                provider_notification: ProviderNotification("payment.notification.v1") [from_api];
                // Tasks, because their senders must not learn from the answers which orders exist.
                declare_withdrawal: DeclareWithdrawal("page.declare_withdrawal.v1") [from_api];
                object_to_withdrawal: ObjectToWithdrawal("page.object_to_withdrawal.v1") [from_api];
                join_waiting_list: JoinWaitingList("page.join_waiting_list.v1") [from_api];
                answer_waiting_list: AnswerWaitingList("page.answer_waiting_list.v1") [from_api];
                mail_document: MailDocument("page.mail_document.v1") [from_api];
                report_mails: ReportMails("page.report_mails.v1") [from_api];
                settle_notification: SettleNotification("payment.settle_notification.v1") [];
                // On a queue apart from notifications, because these jobs wait for a provider.
                check_payment: CheckPayment("checks.payment.v1") [];
                check_refund: CheckRefund("checks.refund.v1") [];
                read_payouts: ReadPayouts("checks.payouts.v1") [];
                judge_withdrawal: JudgeWithdrawal("checks.withdrawal.v1") [];
                // On the enrollment queue, because the job waits for the course platform and not for a payment provider.
                fulfil_cart: FulfilCart("enrollment.fulfil_cart.v1") [];
                give_gift: GiveGift("enrollment.give_gift.v1") [];
                sync_enrollment: SyncEnrollment("platform.sync_enrollment.v1") [];
                // With the registrations: syncs must not wait for hints.
                enrollment_hint: EnrollmentHint("registration.enrollment_hint.v1") [];
                registration_hint: RegistrationHint("registration.hint.v1") [from_api];
                resolve_registration: ResolveRegistration("registration.resolve.v1") [];
                send_email: SendEmail("email.send.v1") [];
                catalog_changed: CatalogChanged("catalog.changed.v1") [];
                course_changed: CourseChanged("catalog.course_changed.v1") [];
                deliver_events: DeliverEvents("webhooks.deliver_events.v1") [];
                // On a queue apart from single grants, which must not wait for batches.
                run_batch: RunBatch("batch.run.v1") [];
            }
        }
    };
}
