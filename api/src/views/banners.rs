//! JSON of banners.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::queries::banners::Banner;

#[derive(Debug, Serialize, ToSchema)]
pub struct BannerList {
    banners: Vec<BannerView>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Banner)]
pub struct BannerView {
    id: Uuid,
    /// The organisation's short name.
    organisation: String,
    title: String,
    image_url: String,
    link_url: Option<String>,
    /// Banners are shown in this order, the lowest first.
    position: i32,
    starts_at: Option<DateTime<Utc>>,
    ends_at: Option<DateTime<Utc>>,
}

impl BannerList {
    /// The banners that run at `now`.
    pub fn new(banners: Vec<Banner>, now: DateTime<Utc>) -> Self {
        let current = |banner: &Banner| {
            banner.starts_at.is_none_or(|start| start <= now) && banner.ends_at.is_none_or(|end| end > now)
        };
        let view = |banner: Banner| BannerView {
            id: banner.id,
            organisation: banner.organisation,
            title: banner.title,
            image_url: banner.image_url,
            link_url: banner.link_url,
            position: banner.position,
            starts_at: banner.starts_at,
            ends_at: banner.ends_at,
        };
        Self { banners: banners.into_iter().filter(current).map(view).collect() }
    }
}
