//! The rounds of the reconciler: on a timer, one worker at a time does payments, one erases, and one does the rest.

use std::time::{Duration, Instant};

use store::error::{JobError, JobResult};
use tokio_util::sync::CancellationToken;

use super::reconcile::{Round, backlog, erasure, others, payments};
use crate::enrollment::registration::Search;
use crate::metrics;
use crate::runtime::context::Context;
use crate::runtime::lease;

/// Intervals between rounds of [`Part::Erasure`] after one that had nothing to do.
const ERASURE_INTERVALS: u32 = 20;

/// Maximum of that pause: an alert expects a round each hour.
const ERASURE_PAUSE: Duration = Duration::from_secs(600);

/// A round that took less time has done all that was due: a round of retirements that ends early for lack of time takes minutes.
const SHORT_ROUND: Duration = Duration::from_secs(10);

/// A round that takes longer is given up: a server that has vanished leaves a statement without an answer for ever, and the round
/// would keep its lease.
const LONGEST_ROUND: Duration = Duration::from_secs(30 * 60);

/// The same for the count of what waits.
const LONGEST_COUNT: Duration = Duration::from_secs(60);

/// The parts of the work. Each has its own timer and its own lease, so that slow look-ups at the course platform do not
/// hold up payments.
#[derive(Clone, Copy)]
enum Part {
    Payments,
    Others,
    /// Records past their time and retired accounts.
    Erasure,
}

impl Part {
    const ALL: [Self; 3] = [Self::Payments, Self::Others, Self::Erasure];

    /// The label of the metric.
    fn name(self) -> &'static str {
        match self {
            Self::Payments => "payments",
            Self::Others => "others",
            Self::Erasure => "erasure",
        }
    }

    /// The name of the lease that the worker holds during a round.
    fn lease(self) -> &'static str {
        match self {
            Self::Payments => "reconcile payments",
            Self::Others => "reconcile others",
            Self::Erasure => "reconcile erasure",
        }
    }
}

/// Runs a round of each part after each interval `every` until `stop`, and updates the backlog's gauges.
pub async fn run(ctx: Context, every: Duration, stop: CancellationToken) {
    tokio::join!(
        rounds(&ctx, Part::Payments, every, &stop),
        rounds(&ctx, Part::Others, every, &stop),
        rounds(&ctx, Part::Erasure, every, &stop),
        gauges(&ctx, every, &stop),
    );
}

async fn rounds(ctx: &Context, part: Part, every: Duration, stop: &CancellationToken) {
    let (mut search, mut wait) = (Search::default(), every);
    while pause(wait, stop).await {
        wait = every;
        let begun = Instant::now();
        match round(ctx, part, &mut search, stop).await {
            Ok(Some(round)) => {
                metrics::reconciled(part.name(), round.iter().all(|(_, step)| step.is_ok()));
                let is_short = begun.elapsed() < SHORT_ROUND;
                let is_empty = round.iter().all(|(_, step)| matches!(step, Ok(0)));
                if matches!(part, Part::Erasure) && is_short && is_empty {
                    wait = every.saturating_mul(ERASURE_INTERVALS).min(ERASURE_PAUSE).max(every);
                }
            }
            Ok(None) => {}
            Err(error) => {
                tracing::warn!(%error, "reconciliation round not finished; the next one tries again");
            }
        }
    }
}

/// Every worker exports the gauges, whichever one did the round.
async fn gauges(ctx: &Context, every: Duration, stop: &CancellationToken) {
    while pause(every, stop).await {
        let measured = tokio::time::timeout(LONGEST_COUNT, measure(ctx)).await;
        if let Err(error) = measured.unwrap_or_else(|_| Err(JobError::Retry("no answer".to_owned()))) {
            tracing::warn!(%error, "cannot count the backlog; gauges not updated");
        }
    }
}

/// False once the worker stops.
async fn pause(every: Duration, stop: &CancellationToken) -> bool {
    tokio::select! {
        () = tokio::time::sleep(every) => true,
        () = stop.cancelled() => false,
    }
}

/// Runs one round of all parts. None if another worker is reconciling.
///
/// # Errors
/// The database is unavailable.
pub async fn once(ctx: &Context, search: &mut Search) -> JobResult<Option<Round>> {
    let stop = CancellationToken::new();
    let mut all: Option<Round> = None;
    for part in Part::ALL {
        if let Some(round) = round(ctx, part, search, &stop).await? {
            all.get_or_insert_default().extend(round);
        }
    }
    Ok(all)
}

/// Runs one round of a part, each step in a transaction of its own. A step that fails does not keep the others from running.
/// None if another worker holds the part's lease, or if `stop` has cut the round short.
async fn round(
    ctx: &Context,
    part: Part,
    search: &mut Search,
    stop: &CancellationToken,
) -> JobResult<Option<Round>> {
    let work = async {
        match part {
            Part::Payments => payments(ctx).await,
            Part::Others => others(ctx, search).await,
            Part::Erasure => erasure(ctx).await,
        }
    };
    // Each step is a transaction of its own, so a round can be dropped at any point. The lease ends in any case.
    let held = lease::hold(&ctx.db, part.lease(), stop.run_until_cancelled(work));
    let round = tokio::time::timeout(LONGEST_ROUND, held).await;
    let round = round.map_err(|_| JobError::Retry(format!("took longer than {LONGEST_ROUND:?}")))??;
    let Some(round) = round.flatten() else { return Ok(None) };
    for (step, outcome) in &round {
        if let Err(error) = outcome {
            tracing::warn!(step, %error, "reconciliation step failed; the next round tries again");
        }
    }
    if round.iter().any(|(_, step)| step.as_ref().is_ok_and(|count| *count > 0)) {
        ctx.outbox.notify_one();
    }
    Ok(Some(round))
}

/// Updates the gauges of waiting work: how much there is of each kind, and the age of the oldest in seconds.
async fn measure(ctx: &Context) -> JobResult<()> {
    let now = ctx.clock.now();
    for waiting in backlog(ctx).await? {
        let age = waiting.oldest.map_or(0, |oldest| (now - oldest).num_seconds().max(0));
        metrics::waiting(waiting.what, waiting.count, age);
    }
    Ok(())
}
