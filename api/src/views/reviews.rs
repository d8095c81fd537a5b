//! JSON of reviews of courses and programs.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::queries::reviews::Review;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Review)]
pub struct ReviewView {
    id: Uuid,
    #[schema(minimum = 1, maximum = 5)]
    rating: i16,
    title: String,
    comment: String,
    author_name: String,
    created_at: DateTime<Utc>,
}

impl From<Review> for ReviewView {
    fn from(review: Review) -> Self {
        Self {
            id: review.id,
            rating: review.rating,
            title: review.title,
            comment: review.comment,
            author_name: review.author_name,
            created_at: review.created_at,
        }
    }
}
