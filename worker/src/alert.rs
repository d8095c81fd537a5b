//! Raises alerts: each is an error in the log and a count in the metrics.

use store::alert::{Alert, AlertKind};

use crate::metrics;

/// Logs and counts each of these alerts.
pub fn raise(alerts: impl IntoIterator<Item = Alert>) {
    for alert in alerts {
        metrics::alert(AlertKind::from(&alert));
        match alert {
            Alert::Payment { transaction, reason } => {
                tracing::error!(%transaction, reason, "payment needs an operator; alert raised");
            }
            Alert::Parked { id, transaction, reason } => {
                tracing::error!(event = id, %transaction, reason, "notification parked; alert raised");
            }
            Alert::Notification { organisation, gateway } => tracing::error!(
                %organisation,
                %gateway,
                "alert: a queued provider notification is not signed by its provider; dead-lettered, nothing settled"
            ),
            Alert::QueueFull { queue } => tracing::error!(
                queue,
                "alert: the broker refuses a retry or a dead letter of this queue; it is full (see `dead list`)"
            ),
            Alert::Account { organisation, gateway, reason } => tracing::error!(
                %organisation,
                %gateway,
                reason,
                "alert: a payment provider refuses an account's key; its payments are not checked (see `gateways show`)"
            ),
            Alert::Payout { organisation, gateway, reason } => tracing::error!(
                %organisation,
                %gateway,
                reason,
                "alert: the payouts of an account need an operator (see the console's page of payouts)"
            ),
            Alert::EnrollmentSync { enrollment, failures, reason } => tracing::error!(
                %enrollment,
                failures,
                reason,
                "alert: the course platform fails at an enrollment; the learner's account may have no profile"
            ),
            Alert::Endpoint { endpoint, reason } => tracing::error!(
                %endpoint,
                reason,
                "alert: an organisation's endpoint for events was disabled (see `webhooks list`)"
            ),
            Alert::PlatformConfiguration { reason } => tracing::error!(
                reason,
                "alert: the course platform is misconfigured; enrollments wait (see `doctor`)"
            ),
        }
    }
}
