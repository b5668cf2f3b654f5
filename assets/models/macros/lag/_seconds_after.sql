-- Seconds from one time to another, which a producer's clock may have put later: 0 then. NULL when one is not known.
SELECT if(epoch_us(later) < epoch_us(earlier), 0, (epoch_us(later) - epoch_us(earlier)) / 1e6)
