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
mod console;
mod desk;
mod failed;
mod fields;
mod orders;
mod organisation;
mod organisation_key;
mod path;
mod peer;
mod query;
mod region;
mod scope;
mod seats;
mod visitor_name;
mod withdrawals;

pub use accept::{DocumentForm, WantsCsv};
pub use batch::{BatchDefaults, BatchUpload};
pub use body::{Body, EmptyBody, FORM, Form, MAX_BODY, is_type, read};
pub use browser::WantsPage;
pub use caller::{Guest, Learner, LearnerOrBackend, Reader};
pub use cart::{CartOfBuyer, CartOfCaller, CartOfLink, buyers, opened};
pub use client_secret::ClientSecret;
pub use commander::{CheckoutRoom, Commander};
pub use conditional::Conditional;
pub use console::{AtConsole, Colleague, ConsoleForm, ForPage, UploadForm, Visit};
pub use desk::{
    BatchAuthor, Desk, DeskOrder, DocumentReporter, EventsReader, OwnCatalogReader, PaymentReporter,
    ReportsReader, VoucherKeeper, WithdrawalKeeper,
};
pub use failed::failed_from;
pub use fields::{FieldValue, Fields, ReadFields, hyphenated, whole_number};
pub use orders::{
    DocumentLink, DocumentOfCaller, InvoiceCorrector, ListReader, MoveRequester, OrderActor, OrderOfCaller,
    OrdersReader, RefundRequester,
};
pub use organisation::Member;
pub use path::{
    BatchPath, CourseKeyPath, NotificationPath, PagePath, ProgramPath, RefundPath, TextPath, VoucherPath,
    WithdrawalPath,
};
pub use peer::Peer;
pub use query::{Params, Query, ReadParams, with_plus};
pub use region::Visitor;
pub use scope::Caller;
pub use seats::{SeatsManager, SeatsReader};
pub use withdrawals::Declarer;
