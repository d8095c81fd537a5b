//! What payment providers tell us.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::Message;
use crate::gateway::Gateway;

/// A provider's notification whose signature was genuine. Nobody waits for what it leads to.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ProviderNotification {
    pub gateway: Gateway,
    /// Whose secret has signed it.
    pub organisation_id: Uuid,
    /// As it came.
    pub body: String,
}

impl ProviderNotification {
    pub const KIND: &str = "payment.notification.v1";
}

impl From<ProviderNotification> for Message {
    fn from(message: ProviderNotification) -> Self {
        Self::ProviderNotification(message)
    }
}
