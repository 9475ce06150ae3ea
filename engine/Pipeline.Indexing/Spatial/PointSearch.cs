namespace Pipeline.Indexing;

/// <summary>
/// Finds the points in a shape among points stored in Z-order. It halves the earth, alternating directions, until each
/// part is inside the shape, outside it, or small. A part is a range of codes, and parts are visited in the order of
/// their codes, so the stored points are read once.
/// </summary>
internal static class PointSearch
{
    // Parts as small as this share of the shape's bounds in both directions are not divided further: their points are
    // tested one by one.
    private const int FinestShare = 32;

    /// <summary>Finds them.</summary>
    /// <param name="points">The stored points.</param>
    /// <param name="cursor">A place among them.</param>
    /// <param name="shape">The shape.</param>
    /// <param name="found">Takes entries, some at a time; one with several points may come several times.</param>
    public static void Run(NumericReader points, NumericCursor cursor, Shape shape, ReadOnlySpanAction found)
    {
        var bounds = shape.Bounds;
        var width = bounds.CrossesDateline ? 360 - bounds.West + bounds.East : bounds.East - bounds.West;
        var search = new Search(cursor, shape, (bounds.North - bounds.South) / FinestShare, width / FinestShare, found);
        search.Visit(0, 0);
        search.Flush();
    }

    /// <summary>Takes some entries.</summary>
    internal delegate void ReadOnlySpanAction(ReadOnlySpan<int> entries);

    private sealed class Search(
        NumericCursor cursor,
        Shape shape,
        double height,
        double width,
        ReadOnlySpanAction found
    )
    {
        private const int MaxBits = 44;

        private readonly int[] _entries = new int[512];
        private int _count;
        private ulong _from,
            _to; // a range of codes whose points are wanted without a look, not yet read
        private bool _pending;

        /// <summary>Visits the part whose codes begin with some bits.</summary>
        public void Visit(ulong code, int bits)
        {
            var size = 1.0 / (1UL << (bits / 2));
            var latitudeSize = 180.0 / (1UL << ((bits + 1) / 2));
            var longitudeSize = 360.0 * size;
            var (latitude, longitude) = Corner(code);
            var overlap = shape.Relate(latitude, longitude, latitude + latitudeSize, longitude + longitudeSize);
            if (overlap == Overlap.None)
                return;
            var last = bits == 0 ? ulong.MaxValue : code | (ulong.MaxValue >> bits);
            if (overlap == Overlap.Whole)
            {
                Take(code, last);
            }
            else if (bits >= MaxBits || (latitudeSize <= height && longitudeSize <= width))
            {
                Check(code, last);
            }
            else
            {
                Visit(code, bits + 1);
                Visit(code | (1UL << (63 - bits)), bits + 1);
            }
        }

        public void Flush()
        {
            TakePending();
            if (_count > 0)
                found(_entries.AsSpan(0, _count));
            _count = 0;
        }

        // Neighbouring ranges are read as one.
        private void Take(ulong from, ulong to)
        {
            if (_pending && _to + 1 == from)
            {
                _to = to;
                return;
            }

            TakePending();
            (_from, _to, _pending) = (from, to, true);
        }

        private void TakePending()
        {
            if (!_pending)
                return;
            _pending = false;
            if (!SeekForward(_from))
                return;
            var high = new NumericKey(_to, ushort.MaxValue);
            while (true)
            {
                if (_count == _entries.Length)
                    Hand();
                var filled = cursor.FillUpTo(high, _entries.AsSpan(_count));
                if (filled == 0)
                    return;
                _count += filled;
            }
        }

        private void Check(ulong from, ulong to)
        {
            TakePending();
            if (!SeekForward(from))
                return;
            for (var more = true; more && cursor.Key.High is var code && code <= to; more = cursor.MoveNext())
            {
                var (latitude, longitude) = PointCode.ToPoint(code);
                if (!shape.Contains(latitude, longitude))
                    continue;
                if (_count == _entries.Length)
                    Hand();
                _entries[_count++] = cursor.Entry;
            }
        }

        // Parts come in rising order, so the cursor often stands where the next one begins.
        private bool SeekForward(ulong code) => cursor.SeekForward(new NumericKey(code, 0));

        private void Hand()
        {
            found(_entries.AsSpan(0, _count));
            _count = 0;
        }

        // The south-west corner of the part: the bits that are not given are 0.
        private static (double Latitude, double Longitude) Corner(ulong code)
        {
            const double HalfStepLatitude = 180.0 / 4294967296.0 / 2,
                HalfStepLongitude = 360.0 / 4294967296.0 / 2;
            var (latitude, longitude) = PointCode.ToPoint(code);
            return (latitude - HalfStepLatitude, longitude - HalfStepLongitude);
        }
    }
}
