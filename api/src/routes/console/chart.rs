//! The small charts of the console, as SVG without scripts.

use minijinja::{Value, context};
use serde::Serialize;
use texts::Localizer;

use super::page;
use crate::queries::desk::figures::DayRow;

/// A day of the chart, in its coordinates.
#[derive(Serialize)]
struct Bar {
    x: usize,
    paid: i64,
    unpaid: i64,
    paid_y: i64,
    paid_height: i64,
    unpaid_height: i64,
    day: String,
}

/// The height of the chart's bars, and the space of a day.
const HEIGHT: i64 = 80;
const STEP: usize = 20;

/// The chart of 30 days of a page, whose messages say what is counted upwards, and what downwards.
pub fn chart(days: &[DayRow], of: &str, localizer: &Localizer<'_>) -> Value {
    let most = days.iter().map(|day| day.paid.max(day.unpaid)).max().unwrap_or_default().max(1);
    let bars: Vec<Bar> = days
        .iter()
        .enumerate()
        .map(|(index, day)| {
            let paid_height = day.paid * HEIGHT / most;
            Bar {
                x: index * STEP,
                paid: day.paid,
                unpaid: day.unpaid,
                paid_y: HEIGHT - paid_height,
                paid_height,
                unpaid_height: (day.unpaid * HEIGHT / most).min(20),
                day: localizer.day_of_year(day.day),
            }
        })
        .collect();
    let (paid, unpaid): (i64, i64) =
        days.iter().fold((0, 0), |(paid, unpaid), day| (paid + day.paid, unpaid + day.unpaid));
    context! { of, bars => page::answer(&bars), paid, unpaid, most, base => HEIGHT, width => days.len() * STEP }
}
