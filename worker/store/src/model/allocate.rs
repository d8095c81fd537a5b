//! Allocation of an amount to lines. Arithmetic in minor units.

/// Allocates `amount` in proportion to what each line can take, in whole units: the rest goes to the largest remainders,
/// ties to the earlier line. The shares add up to the amount, or to all that the lines can take if that is less.
pub fn allocate(amount: i64, capacities: &[i64]) -> Vec<i64> {
    let total: i128 = capacities.iter().map(|capacity| i128::from(*capacity)).sum();
    let amount = i128::from(amount).clamp(0, total);
    if total == 0 {
        return vec![0; capacities.len()];
    }
    let exact = capacities.iter().map(|capacity| i128::from(*capacity) * amount);
    // The share, and the remainder of the division.
    let mut shares: Vec<(i128, i128)> = exact.map(|exact| (exact / total, exact % total)).collect();
    let given: i128 = shares.iter().map(|(share, _)| share).sum();
    let mut order: Vec<usize> = (0..shares.len()).collect();
    order.sort_by_key(|index| std::cmp::Reverse(shares.get(*index).map(|(_, remainder)| *remainder)));
    let rest = usize::try_from(amount - given).unwrap_or(0);
    for index in order.into_iter().take(rest) {
        if let Some((share, _)) = shares.get_mut(index) {
            *share += 1;
        }
    }
    shares.into_iter().map(|(share, _)| i64::try_from(share).unwrap_or(i64::MAX)).collect()
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;

    #[test]
    fn shares_follow_the_lines_and_the_rest_goes_to_the_largest_remainders() {
        for (amount, capacities, expected) in [
            (10, vec![10, 10, 10], vec![4, 3, 3]),
            (100, vec![1, 299], vec![0, 100]),
            (7, vec![5, 0, 2], vec![5, 0, 2]),
            (9, vec![5, 0, 2], vec![5, 0, 2]),
            (1, vec![3, 5], vec![0, 1]),
            (5, vec![], vec![]),
            (5, vec![0], vec![0]),
        ] {
            assert_eq!(allocate(amount, &capacities), expected, "{amount} over {capacities:?}");
        }
    }

    #[test]
    fn shares_add_up_and_no_line_takes_more_than_it_can() {
        let mut random = rand::rng();
        for _ in 0..2_000 {
            let capacities: Vec<i64> =
                (0..random.random_range(1..8)).map(|_| random.random_range(0..10_000)).collect();
            let total: i64 = capacities.iter().sum();
            let amount = random.random_range(0..=total);
            let shares = allocate(amount, &capacities);
            assert_eq!(shares.iter().sum::<i64>(), amount, "{amount} over {capacities:?}");
            assert!(shares.iter().zip(&capacities).all(|(share, capacity)| (0..=*capacity).contains(share)));
        }
    }
}
