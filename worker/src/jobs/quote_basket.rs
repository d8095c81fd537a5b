//! Prices a basket as a checkout would, with a voucher if the caller names one. Writes and reserves nothing.

use shared::messages::{CartItem, QuoteBasket, QuotedBasket, QuotedVoucher};
use shared::money::Money;

use crate::checkout::basket::{self, Buyer};
use crate::context::Context;
use crate::enrollment::account_lookup;
use crate::error::JobResult;
use crate::store::cart_items::NewLine;

pub async fn run(ctx: &Context, command: &QuoteBasket) -> JobResult<QuotedBasket> {
    let (organisation_id, country) = (command.organisation_id, command.country);
    let email = command.buyer.as_ref().map(|buyer| &buyer.email);
    let address;
    let owner = match &command.buyer {
        None => None,
        Some(buyer) => {
            account_lookup::require_platform(ctx)?;
            address = account_lookup::proved(ctx, &buyer.learner, &buyer.email).await?;
            let learner = Some(&buyer.learner);
            Buyer { email: &buyer.email, learner, organisation_id, country }.owner(Some(&address))
        }
    };
    let mut quote = basket::prices(ctx, organisation_id, country, owner, &command.items).await?.quote;
    let voucher = match &command.voucher {
        None => None,
        Some(code) => {
            let voucher = basket::find_voucher(ctx, organisation_id, code, email).await?;
            let applied = voucher.and_then(|voucher| quote.apply_if_left(&voucher, ctx.clock.now()));
            Some(QuotedVoucher { code: code.trim().to_uppercase(), inapplicable: applied.err() })
        }
    };
    Ok(QuotedBasket { total: quote.total, items: quote.lines.into_iter().map(item).collect(), voucher })
}

fn item(line: NewLine) -> CartItem {
    let discount = Money::from_minor(line.voucher_discount, line.price.price.currency());
    CartItem {
        kind: line.item.kind,
        id: line.item.id,
        openedx_course_id: line.openedx_course_id,
        name: line.name,
        mode: line.item.mode,
        original: line.price.original,
        discount_pct: line.price.discount_pct,
        price: line.price.price,
        voucher_discount: discount.ok().filter(|discount| discount.minor() > 0),
        upgrade_from: line.upgrade_from,
    }
}
