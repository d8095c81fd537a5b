//! Extractors: parse and check a request before its handler runs. Every signature lists credentials first, so that they
//! are checked before anything else. What an extractor finds depends on the request alone, never on another extractor: the
//! order of arguments decides only which fault is reported.

mod accept;
mod batch;
mod body;
mod browser;
mod caller;
mod cart;
mod client_secret;
mod commander;
mod conditional;
mod failed;
mod fields;
mod orders;
mod organisation;
mod organisation_key;
mod path;
mod peer;
mod query;
mod region;
mod seats;
mod visitor_name;

pub use accept::{WantsCsv, WantsJson};
pub use batch::{BatchDefaults, BatchUpload};
pub use body::{Body, EmptyBody, MAX_BODY, read};
pub use browser::WantsPage;
pub use caller::{Guest, Learner, LearnerOrBackend, Reader};
pub use cart::{CartOfBuyer, CartOfCaller, CartOfLink};
pub use client_secret::ClientSecret;
pub use commander::Commander;
pub use conditional::Conditional;
pub use failed::failed_from;
pub use fields::{FieldValue, Fields, ReadFields};
pub use orders::{
    DocumentOfCaller, InvoiceCorrector, ListReader, OrderActor, OrderOfCaller, OrdersReader, RefundRequester,
};
pub use organisation::Member;
pub use organisation_key::{EventsReader, ReportsReader, VoucherKeeper};
pub use path::{BatchPath, CourseKeyPath, NotificationPath, ProgramPath, TextPath, VoucherPath};
pub use peer::Peer;
pub use query::{Params, Query, ReadParams};
pub use region::Visitor;
pub use seats::{SeatsManager, SeatsReader};
