//! The steps of a trace, which a request's `traceparent` carries through the queue.

use std::fmt;
use std::str::FromStr;

tokio::task_local! {
    /// The step of a trace that this task works on.
    static CURRENT: TraceParent;
}

/// A W3C `traceparent`, which joins an HTTP request with the jobs that it causes: in logs, and in traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceParent {
    /// Names the trace: the same in all its requests and jobs. Never 0.
    pub trace_id: u128,
    /// Names a step of the trace, a span. Never 0.
    pub span_id: u64,
    /// Indicates whether the step is recorded, and so those that it causes.
    pub is_sampled: bool,
}

impl TraceParent {
    /// A new trace with random ids, which is not recorded.
    pub fn new() -> Self {
        // Zero is not a valid id.
        Self { trace_id: rand::random::<u128>() | 1, span_id: rand::random::<u64>() | 1, is_sampled: false }
    }

    /// Another step of the same trace.
    #[must_use]
    pub fn next(self) -> Self {
        Self { span_id: rand::random::<u64>() | 1, ..self }
    }

    /// The trace id as traces and logs write it.
    pub fn trace_hex(self) -> String {
        format!("{:032x}", self.trace_id)
    }

    /// The span id as traces and logs write it.
    pub fn span_hex(self) -> String {
        format!("{:016x}", self.span_id)
    }

    /// The step that the current task works on.
    pub fn current() -> Option<Self> {
        CURRENT.try_with(|current| *current).ok()
    }

    /// Does a step's work, in which it is the current one.
    pub async fn scope<F: Future>(self, work: F) -> F::Output {
        CURRENT.scope(self, work).await
    }

    /// Keeps the current step for work that another task is going to do.
    pub fn carry<F: Future>(work: F) -> impl Future<Output = F::Output> {
        let current = Self::current();
        async move {
            match current {
                Some(current) => current.scope(work).await,
                None => work.await,
            }
        }
    }
}

impl Default for TraceParent {
    fn default() -> Self {
        Self::new()
    }
}

/// The text is not a `traceparent` header of W3C Trace Context.
#[derive(Debug, PartialEq, Eq)]
pub struct InvalidTraceParent;

impl FromStr for TraceParent {
    type Err = InvalidTraceParent;

    fn from_str(text: &str) -> Result<Self, InvalidTraceParent> {
        let parts: Vec<&str> = text.split('-').collect();
        let [version, trace, span, flags, ..] = parts.as_slice() else { return Err(InvalidTraceParent) };
        if version.len() != 2 || trace.len() != 32 || span.len() != 16 || flags.len() != 2 {
            return Err(InvalidTraceParent);
        }
        let trace_id = u128::from_str_radix(trace, 16).map_err(|_| InvalidTraceParent)?;
        let span_id = u64::from_str_radix(span, 16).map_err(|_| InvalidTraceParent)?;
        let flags = u8::from_str_radix(flags, 16).map_err(|_| InvalidTraceParent)?;
        if trace_id == 0 || span_id == 0 {
            return Err(InvalidTraceParent);
        }
        Ok(Self { trace_id, span_id, is_sampled: flags & 1 == 1 })
    }
}

impl fmt::Display for TraceParent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "00-{:032x}-{:016x}-{:02x}", self.trace_id, self.span_id, u8::from(self.is_sampled))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_traceparent_reads_back_and_a_broken_one_is_refused() {
        for is_sampled in [true, false] {
            let trace = TraceParent { is_sampled, ..TraceParent::new() };
            assert_eq!(trace.to_string().parse(), Ok(trace));
        }
        for bad in ["", "00-0-0-01", "00-00000000000000000000000000000000-0000000000000001-01"] {
            assert_eq!(bad.parse::<TraceParent>(), Err(InvalidTraceParent));
        }
    }
}
