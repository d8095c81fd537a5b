//! The order that a request or a job is about, which its log lines and spans name: one id finds a purchase in the log and in the traces,
//! whatever caused each of its steps.

use std::cell::Cell;

use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt;

use crate::ids::CartId;

/// The field of log lines and the attribute of spans.
const FIELD: &str = "cart";

tokio::task_local! {
    static ABOUT: About;
}

/// Order of the work under way, once it is known.
struct About {
    /// Each has the field, which is empty until the order is known.
    spans: Vec<Span>,
    cart: Cell<Option<CartId>>,
}

/// Does work that finds out which order it is about. `spans`: those that name the order, made with the field `cart`. Returns the order
/// as well.
pub fn scope<F: Future>(spans: Vec<Span>, work: F) -> impl Future<Output = (F::Output, Option<CartId>)> {
    // On the heap: the futures of jobs are large, and each layer around them would have room for them on the stack.
    let work = Box::pin(work);
    ABOUT.scope(About { spans, cart: Cell::new(None) }, async move {
        let done = work.await;
        (done, current())
    })
}

/// Notes the order that the work under way is about. The first one counts. Outside of such work, as in a round of the reconciler, it does
/// nothing.
pub fn cart(id: CartId) {
    let _ = ABOUT.try_with(|about| {
        if about.cart.get().is_none() {
            about.cart.set(Some(id));
            for span in &about.spans {
                span.record(FIELD, tracing::field::display(id));
            }
        }
        // The span within those, such as that of the job.
        if about.cart.get() == Some(id) {
            Span::current().set_attribute(FIELD, id.to_string());
        }
    });
}

/// The order that the work under way is about, as far as it is known.
pub fn current() -> Option<CartId> {
    ABOUT.try_with(|about| about.cart.get()).ok().flatten()
}
