//! `payments show`: prints the status and the whole history of carts.

use clap::Args;
use serde_json::json;
use shared::command_line::say;
use store::money::timeline::{self, Moment, Summary};

use crate::cli::table::{self, moment, optional};
use crate::cli::{DatabaseArgs, Failure};

#[derive(Args)]
pub struct ShowArgs {
    /// The id of a cart, transaction or refund, an email address, the reference of a transfer, or the provider's reference of a
    /// payment, refund or dispute
    what: String,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    database: DatabaseArgs,
}

/// Carts that are shown, the newest.
const MOST: i64 = 50;

pub async fn run(args: &ShowArgs) -> Result<(), Failure> {
    let db = args.database.pool("payments")?;
    let mut carts = timeline::find(&db, &args.what, MOST + 1).await?;
    if carts.is_empty() {
        return Err(format!("no cart matches {:?}", args.what).into());
    }
    if carts.len() > usize::try_from(MOST).unwrap_or(usize::MAX) {
        carts.remove(0);
        eprintln!(
            "more than {MOST} carts match, and the newest {MOST} are shown; name an older one by its id"
        );
    }
    let mut shown = Vec::new();
    for cart in carts {
        let (summary, history) = (timeline::summary(&db, cart).await?, timeline::of_cart(&db, cart).await?);
        if args.json {
            shown.push(json!({ "cart": summary, "history": history }));
        } else {
            print(&summary, history);
        }
    }
    if args.json {
        say(serde_json::to_string_pretty(&shown)?);
    }
    Ok(())
}

/// Prints the status of a cart.
pub fn print_summary(cart: &Summary) {
    let sum =
        |minor: Option<i64>| minor.map(|minor| format!("{minor} {}", cart.currency)).unwrap_or_default();
    let rows = [
        ("state", cart.state.clone()),
        ("organisation", cart.organisation.clone()),
        ("total (minor units)", sum(Some(cart.total))),
        ("payment", cart.payment_state.clone().unwrap_or_default()),
        ("gateway", cart.gateway.clone().unwrap_or_default()),
        ("reference", cart.reference.clone().unwrap_or_default()),
        ("refunded", sum(cart.refunded)),
        ("taken by disputes", sum(cart.lost)),
        ("provider works on it since", optional(cart.provider_pending_since)),
        ("next check", optional(cart.next_check_at)),
        ("alert", cart.alert.clone().unwrap_or_default()),
    ];
    let rows = rows.into_iter().filter(|(_, value)| !value.is_empty());
    let rows = rows.map(|(name, value)| [name.to_owned(), value]).collect();
    table::print(&format!("Cart {} of {}", cart.cart_id, cart.email), ["", ""], rows);
}

fn print(cart: &Summary, history: Vec<Moment>) {
    print_summary(cart);
    let rows = history.into_iter().map(|m| {
        [moment(m.at), m.what, m.change, m.by, m.detail.to_string(), m.trace_id.unwrap_or_default()]
    });
    table::print("History", ["at", "what", "change", "by", "detail", "trace"], rows.collect());
}
