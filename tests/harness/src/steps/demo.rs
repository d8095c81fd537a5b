//! Courses and organisations of the demo catalog.

use crate::World;

/// A course of the demo catalog that is open to all learners and free in its modes audit and verified.
pub const FREE_COURSE: &str = "28b0b164-7eb3-4aba-aac1-d7498b344ed4";

/// The platform's key of [`FREE_COURSE`].
pub const FREE_KEY: &str = "course-v1:Northwind+DS101+2026";

/// A course that costs money in every mode: verified 199, professional 349.
pub const PAID_COURSE: &str = "ad035fc9-afd5-49f2-85d8-8ac83dd05a77";

/// The platform's key of [`PAID_COURSE`].
pub const PAID_KEY: &str = "course-v1:Northwind+DS210+2026";

/// A course that no reader sees.
pub const UNPUBLISHED_COURSE: &str = "fa4dfc0d-b45d-4157-8f87-a874af4c5bbf";

/// A course that only its organisation gives.
pub const INVITE_ONLY_COURSE: &str = "6da493ae-99bb-4f2a-bff5-204c3f96ab6c";

/// Northwind's program: three courses for 349, among them [`FREE_COURSE`] and [`PAID_COURSE`].
pub const PROGRAM: &str = "cd86d467-7088-481c-88dc-0af7567e0e81";

/// An id that nothing has.
pub const UNKNOWN_ID: &str = "00000000-0000-4000-8000-000000000000";

/// Reads the organisation's id from the api.
pub async fn organisation(world: &World, short_name: &str) -> String {
    let reply =
        world.get(&format!("/storeapi/discovery/organisations/?fields=basic&search={short_name}")).await;
    reply.json["organisations"][0]["id"].as_str().expect("an organisation").to_owned()
}
