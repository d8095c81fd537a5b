//! The checks that a record of a catalog file must pass by itself. `references` checks references between records.

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;

use super::record::{Course, ExchangeRate, Organisation, PricingPolicy, Program, Record, Review};

impl Record {
    /// Checks the record's own values.
    ///
    /// # Errors
    /// The first invalid value.
    pub(crate) fn check(&self) -> Result<(), String> {
        match self {
            Self::Organisation(organisation) => organisation.check(),
            Self::PlatformOrganisation(mapping) => {
                (!mapping.org.trim().is_empty()).then_some(()).ok_or("org is empty".into())
            }
            Self::PricingPolicy(policy) => policy.check(),
            Self::ExchangeRate(rate) => rate.check(),
            Self::Tag(tag) => (!tag.name.trim().is_empty()).then_some(()).ok_or("name is empty".into()),
            Self::Course(course) => course.check(),
            Self::Program(program) => program.check(),
            Self::Banner(banner) => check_order(banner.starts_at, banner.ends_at, "starts_at", "ends_at"),
        }
    }
}

fn check_short_name(name: &str) -> Result<(), String> {
    let fits = (1..=64).contains(&name.len())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "._~-".contains(c));
    fits.then_some(()).ok_or(format!("short_name {name:?} is not 1 to 64 letters, digits or ._~-"))
}

fn check_order(
    start: Option<DateTime<Utc>>,
    end: Option<DateTime<Utc>>,
    start_name: &str,
    end_name: &str,
) -> Result<(), String> {
    match (start, end) {
        (Some(start), Some(end)) if end <= start => Err(format!("{end_name} is not after {start_name}")),
        _ => Ok(()),
    }
}

fn check_reviews(reviews: &[Review]) -> Result<(), String> {
    match reviews.iter().find(|review| !(1..=5).contains(&review.rating)) {
        Some(review) => Err(format!("review {} has rating {}, not 1 to 5", review.id, review.rating)),
        None => Ok(()),
    }
}

impl Organisation {
    fn check(&self) -> Result<(), String> {
        check_short_name(&self.short_name)?;
        match self.refund_days {
            Some(days) if !(0..=3650).contains(&days) => Err(format!("refund_days {days} is not 0 to 3650")),
            _ => Ok(()),
        }
    }
}

impl PricingPolicy {
    fn check(&self) -> Result<(), String> {
        for (index, terms) in self.countries.iter().enumerate() {
            let percent = terms.percent_off;
            if !(Decimal::ZERO..=Decimal::ONE_HUNDRED).contains(&percent) || percent.normalize().scale() > 2 {
                return Err(format!("percent_off {percent} is not 0 to 100 with two decimals"));
            }
            if self.countries.iter().take(index).any(|earlier| earlier.country == terms.country) {
                return Err(format!("country {} appears twice", terms.country));
            }
        }
        Ok(())
    }
}

impl ExchangeRate {
    /// The catalog stores ten digits before and ten after the decimal point.
    fn check(&self) -> Result<(), String> {
        let fits = self.rate > Decimal::ZERO && self.rate < Decimal::from(10_i64.pow(10));
        let kept = self.rate.normalize().scale() <= 10;
        if fits && kept {
            Ok(())
        } else {
            Err(format!("rate {} is not positive with ten digits either side", self.rate))
        }
    }
}

impl Course {
    fn check(&self) -> Result<(), String> {
        if self.display_name.trim().is_empty() {
            return Err("display_name is empty".into());
        }
        check_order(self.start, self.end, "start", "end")?;
        check_order(self.enrollment_start, self.enrollment_end, "enrollment_start", "enrollment_end")?;
        for (index, mode) in self.modes.iter().enumerate() {
            mode.price().map_err(|error| format!("minPrice of mode {} {error}", mode.mode_slug))?;
            if self.modes.iter().take(index).any(|earlier| earlier.mode_slug == mode.mode_slug) {
                return Err(format!("mode {} appears twice", mode.mode_slug));
            }
        }
        check_reviews(&self.reviews)?;
        if i32::try_from(self.minutes()).is_err() {
            return Err("the course has more minutes than the catalog can hold".into());
        }
        self.outline.as_ref().map_or(Ok(()), |outline| outline.check(&self.openedx_course_id))
    }
}

impl Program {
    fn check(&self) -> Result<(), String> {
        self.money()?;
        if self.duration.is_some_and(|duration| duration <= 0) {
            return Err("duration is not positive".into());
        }
        check_reviews(&self.reviews)
    }
}
