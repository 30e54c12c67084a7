\\ How many bits can the reduction of an exact angle cancel? For src/proof/wide.md (PARI/GP: gp -q cancellation.gp).
\\
\\ The angles are x = m 2^-s with m < 2^159 and x < 2^62, a product of three doubles. Near k pi/2, k > 0, the best
\\ approximations m/k of a = (pi/2) 2^s are its convergents. For every k below the denominator of the next convergent,
\\ |m - k a| is at least as large as for the last one. So at most log2(k a / |m - k a|) bits cancel, with the largest
\\ such k.
default(realprecision, 300);
worst = 0;
{for (s = 0, 158,
  my(alpha = Pi/2 * 2^s, most = min(2^62, 2^(159 - s)) * 2/Pi, c = contfracpnqn(contfrac(alpha, , 120), 120));
  for (n = 1, #c, my(k = c[2, n]);
    if (k > most || n == #c, break);
    my(lost = log(min(c[2, n + 1], most)*alpha / abs(c[1, n] - k*alpha)) / log(2));
    if (lost > worst, worst = lost; at = [s, k])));
 print("at most ", ceil(worst), " bits: s = ", at[1], ", k = ", at[2])};
quit
