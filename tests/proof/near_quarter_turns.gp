\\ Finds the angles that are closest to multiples of pi/2, for tools/verify/worst_cases.inc (PARI/GP; it takes ten
\\ minutes: gp -q near_quarter_turns.gp). Each printed line `A B C S k L` means: the product x = A B C 2^-S of three
\\ integers below 2^53 differs from k pi/2 by 2^L. In some lines A is below 2^31, so it can be an integer position. The
\\ file has the lines with a frequency in range in which most bits cancel: A is the position, B the position_scale and C the
\\ frequency, each times a power of two that brings it into range.
\\
\\ As in cancellation.gp, the convergents m/k of (pi/2) 2^S are closest to it. Combinations of two consecutive convergents
\\ are nearly as close. The script keeps each m that is a product of three such integers.
default(realprecision, 200);
default(factor_proven, 0);
pi_half = Pi/2;

\\ Splits the prime factors f of a number into three products, below limit, 2^53 and 2^53. Returns 0 if that fails.
{split_in_three(f, limit) = my(primes = List(), A = 1, B = 1, C = 1);
  for (i = 1, #f~, for (j = 1, f[i, 2], listput(primes, f[i, 1])));
  primes = vecsort(Vec(primes), , 4);
  for (i = 1, #primes, my(q = primes[i]);
    if (B <= C && B*q < 2^53, B *= q,
        C*q < 2^53, C *= q,
        B*q < 2^53, B *= q,
        A*q < limit, A *= q,
        return(0)));
  [A, B, C]};

\\ Prints `want` angles with s0 <= S < s0 + s_n. One in `odds` (or none, if odds is 0) has an integer position, and
\\ i0 <= S < i0 + i_n. k has about k0 to k0 + k_n bits.
{find(seed, want, s0, s_n, odds, i0, i_n, k0, k_n) = my(found = 0);
  setrand(seed);
  while (found < want,
    my(s = s0 + random(s_n), limit = if (odds && random(odds) == 0, 2^31, 2^53), k_bits = k0 + random(k_n));
    if (limit < 2^53, s = i0 + random(i_n));
    my(alpha = pi_half * 2^s, c = contfracpnqn(contfrac(alpha, , 60), 60), n = 1);
    while (n < #c && c[2, n + 1] < 2^(k_bits - 8), n++);
    my(a = 1 + random(2^8), b = random(2^8), m, k);
    m = a*c[1, n] + b*c[1, n - 1];
    k = a*c[2, n] + b*c[2, n - 1];
    if (k >= 2^61 || gcd(m, k) == 0, next);
    \\ To save time, look for small factors first, and give up if a large prime is left.
    my(small = factor(m, 2^18), rest = small[#small~, 1]);
    if (rest >= 2^53 && ispseudoprime(rest), next);
    my(f = factor(m));
    if (f[#f~, 1] >= 2^53, next);
    my(t = split_in_three(f, limit));
    if (t == 0, next);
    found++;
    print(t[1], " ", t[2], " ", t[3], " ", s, " ", k, " ", round(log(abs(m - k*alpha))/log(2)) - s))};

\\ To find fewer: (echo "WANT = 5;"; cat near_quarter_turns.gp) | gp -q
if (type(WANT) != "t_INT", WANT = 0);
some(n) = if (WANT, min(WANT, n), n);
find(2, some(60), 91, 6, 0, 0, 0, 59, 3);
find(3, some(1200), 88, 9, 4, 68, 8, 58, 4);
find(1, some(1500), 66, 22, 3, 60, 12, 56, 5);
quit
