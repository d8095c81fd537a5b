//! JSON of organisations.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::{RefOr, Schema};
use uuid::Uuid;

use crate::openapi::schemas;
use crate::queries::organisations::{MarketingRow, OrganisationRow};

#[derive(Debug, Serialize, ToSchema)]
pub struct OrganisationList {
    pub organisations: Vec<Organisation>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Organisation {
    /// Required by checkout.
    pub id: Uuid,
    /// The name that learners read.
    pub name: String,
    /// The stable key of the organisation.
    pub short_name: String,
    pub created_at: DateTime<Utc>,
    #[serde(flatten)]
    pub branding: Option<Branding>,
}

/// The fields that an organisation has with `fields=full` only.
#[derive(Debug, Serialize, ToSchema)]
pub struct Branding {
    pub logo_url: Option<String>,
    pub favicon_url: Option<String>,
    pub trademark_url: Option<String>,
}

impl OrganisationList {
    pub fn new(rows: Vec<OrganisationRow>, full: bool) -> Self {
        let organisation = |row: OrganisationRow| Organisation {
            id: row.id.into(),
            name: row.name,
            short_name: row.short_name,
            created_at: row.created_at,
            branding: full.then_some(Branding {
                logo_url: row.logo_url,
                favicon_url: row.favicon_url,
                trademark_url: row.trademark_url,
            }),
        };
        Self { organisations: rows.into_iter().map(organisation).collect() }
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub struct MarketingEntry {
    organisation_id: Uuid,
    #[schema(schema_with = metadata)]
    marketing_page_metadata: serde_json::Value,
}

fn metadata() -> RefOr<Schema> {
    schemas::any_object("What it holds is up to the organisation. Clients must tolerate unknown keys.")
}

impl From<MarketingRow> for MarketingEntry {
    fn from(row: MarketingRow) -> Self {
        Self {
            organisation_id: row.organisation_id.into(),
            marketing_page_metadata: row.marketing_page_metadata,
        }
    }
}
