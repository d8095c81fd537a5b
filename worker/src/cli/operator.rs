//! Operator at the command line. Commands that change money, access, secrets or data on people need the name.

use clap::Args;
use shared::clock::Clock;
use shared::operator::OperatorName;
use store::plumbing::audit::{Actor, Cause};
use uuid::Uuid;

#[derive(Args, Clone, Copy)]
pub struct Operator {
    /// Your name, for the audit log
    #[arg(long, env = "OPERATOR")]
    pub by: OperatorName,
}

impl Operator {
    /// The cause of what this call of the command changes.
    pub fn cause(self) -> Cause {
        Cause { actor: Actor::Operator(self.by), command_id: Uuid::now_v7(), now: Clock::default().now() }
    }
}
