//! Items that a link to the page for buying names: skus as the course platform's buttons send
//! them, or a course or program and its mode.

use shared::course_mode::CourseMode;
use shared::typed::given;
use uuid::Uuid;

use crate::extract::{Params, ReadParams};
use crate::queries::skus::{self, NamedItem, NamedMode};
use crate::read::labels::REFERENCE;
use crate::response::SIGNED_IN;
use crate::state::App;
use crate::views::buy::Halt;

/// Most skus of one link: as many as a basket holds items.
const MOST: usize = 50;

/// Request that a link makes. Parameters such as `bundle`, `catalog` and `utm_*` change nothing.
pub struct BuyLink {
    skus: Vec<String>,
    /// Tells apart the courses that share an operator's sku.
    course_run_key: String,
    course: String,
    program: Option<Uuid>,
    mode: Option<CourseMode>,
    pub voucher: Option<String>,
    pub reference: Option<String>,
    /// Indicates whether the visitor comes back from the platform's sign-in.
    pub signed_in: bool,
}

impl ReadParams for BuyLink {
    fn read(params: &mut Params) -> Option<Self> {
        let skus = params.texts("sku", MOST);
        let (course_run_key, course) = (params.unspaced("course_run_key"), params.unspaced("course"));
        let (program, mode) = (params.text("program"), params.word("mode"));
        let voucher = params.text("voucher");
        let reference = given(Some(params.text("reference")));
        let is_wrong = |text: &String| text.chars().count() > REFERENCE || text.contains(char::is_control);
        if reference.as_ref().is_some_and(is_wrong) {
            params.error("reference", format!("must be a text of at most {REFERENCE} characters"));
        }
        let signed_in = params.flag(SIGNED_IN, false);
        Some(Self {
            // A mode without a sku has `None` in the links of some of the platform's pages.
            skus: skus.into_iter().filter(|sku| !sku.is_empty() && sku != "None").collect(),
            course_run_key,
            course,
            // Any other text names no program.
            program: (!program.is_empty()).then(|| program.parse().unwrap_or_default()),
            mode: mode?,
            voucher: given(Some(voucher)),
            reference,
            signed_in: signed_in?,
        })
    }
}

impl BuyLink {
    /// The items that the link names, all of one organisation.
    ///
    /// # Errors
    /// `NotSold` if it names none, or one that does not exist; `Apart` if several organisations sell them.
    pub async fn items(&self, app: &App) -> Result<Vec<NamedItem>, Halt> {
        let items: Vec<NamedItem> = match (self.program, self.course.as_str()) {
            (Some(program), _) => {
                let mode = self.mode.ok_or(Halt::NotSold)?;
                skus::of_program(&app.db, program, mode).await?.into_iter().collect()
            }
            (None, "") => self.named(app).await?.into_iter().map(NamedItem::from).collect(),
            (None, course) => {
                skus::of_course(&app.db, course, self.mode).await?.into_iter().map(NamedItem::from).collect()
            }
        };
        let first = items.first().ok_or(Halt::NotSold)?;
        if items.iter().any(|item| item.organisation_id != first.organisation_id) {
            return Err(Halt::Apart);
        }
        Ok(items)
    }

    async fn named(&self, app: &App) -> Result<Vec<NamedMode>, Halt> {
        let found = skus::named(&app.db, &self.skus).await?;
        let mut modes: Vec<NamedMode> = Vec::with_capacity(self.skus.len());
        for sku in &self.skus {
            let named = || found.iter().filter(|mode| mode.sku == *sku);
            let in_run = named().find(|mode| mode.openedx_course_id == self.course_run_key);
            let alone = || named().next().filter(|_| named().count() == 1);
            let mode = in_run.or_else(alone).ok_or(Halt::NotSold)?;
            if modes.iter().all(|other| other.course_id != mode.course_id) {
                modes.push(mode.clone());
            }
        }
        Ok(modes)
    }
}
