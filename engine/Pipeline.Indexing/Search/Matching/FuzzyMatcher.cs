using System.Text;

namespace Pipeline.Indexing;

/// <summary>
/// Terms within an edit distance (Damerau-Levenshtein, optimal string alignment). A row of the table is kept for each
/// character of the previous term. The next term reuses the rows of their common beginning. If no cell of a row is
/// within the distance, all terms with that beginning are skipped.
/// </summary>
internal sealed class FuzzyMatcher : TermMatcher
{
    /// <summary>The greatest number of edits that may be asked for.</summary>
    public const int MaxEdits = 10;

    private readonly int[] _sought;
    private readonly int _edits;
    private readonly byte[] _prefix;
    private readonly List<int[]> _rows = [];
    private readonly List<int> _characters = [],
        _ends = []; // of the term before: code points, and where each ends in its bytes
    private byte[] _before = new byte[64];
    private int _beforeLength;

    public FuzzyMatcher(ReadOnlySpan<byte> term, int edits, int prefixLength)
    {
        if (edits is < 0 or > MaxEdits)
            throw new QueryException($"A fuzzy query allows 0 to {MaxEdits} edits, not {edits}.");
        var sought = new List<int>();
        var prefixBytes = 0;
        for (var i = 0; i < term.Length; )
        {
            Rune.DecodeFromUtf8(term[i..], out var rune, out var length);
            sought.Add(rune.Value);
            i += length;
            if (sought.Count <= prefixLength)
                prefixBytes = i;
        }

        (_sought, _edits, _prefix) = ([.. sought], edits, term[..prefixBytes].ToArray());
        var first = new int[_sought.Length + 1];
        for (var i = 0; i < first.Length; i++)
            first[i] = i;
        _rows.Add(first);
    }

    public override ReadOnlySpan<byte> Prefix => _prefix;

    /// <summary>How many edits the last term that matched is away.</summary>
    public int Distance { get; private set; }

    public override bool Matches(ReadOnlySpan<byte> term, out int seek)
    {
        seek = 0;
        var common = _before.AsSpan(0, _beforeLength).CommonPrefixLength(term);
        var depth = 0;
        while (depth < _characters.Count && _ends[depth] <= common)
            depth++;
        _characters.RemoveRange(depth, _characters.Count - depth);
        _ends.RemoveRange(depth, _ends.Count - depth);
        Remember(term);

        for (var at = depth == 0 ? 0 : _ends[depth - 1]; at < term.Length; )
        {
            Rune.DecodeFromUtf8(term[at..], out var rune, out var length);
            at += length;
            _characters.Add(rune.Value);
            _ends.Add(at);
            if (FillRow(_characters.Count) > _edits)
            {
                seek = at;
                return false;
            }
        }

        Distance = _rows[_characters.Count][_sought.Length];
        return Distance <= _edits;
    }

    // A swap reaches back two rows and is one edit. So a beginning is hopeless only if no cell of this row is within
    // the distance, and no cell of the previous row is below it.
    private int FillRow(int n)
    {
        if (_rows.Count == n)
            _rows.Add(new int[_sought.Length + 1]);
        var (row, above, character) = (_rows[n], _rows[n - 1], _characters[n - 1]);
        row[0] = n;
        var least = Math.Min(n, above[0] + 1);
        for (var j = 1; j < row.Length; j++)
        {
            var cell = Math.Min(
                Math.Min(above[j], row[j - 1]) + 1,
                above[j - 1] + (character == _sought[j - 1] ? 0 : 1)
            );
            if (n > 1 && j > 1 && character == _sought[j - 2] && _characters[n - 2] == _sought[j - 1])
                cell = Math.Min(cell, _rows[n - 2][j - 2] + 1);
            row[j] = cell;
            least = Math.Min(least, Math.Min(cell, above[j] + 1));
        }

        return least;
    }

    private void Remember(ReadOnlySpan<byte> term)
    {
        if (_before.Length < term.Length)
            _before = new byte[Math.Max(term.Length, _before.Length * 2)];
        term.CopyTo(_before);
        _beforeLength = term.Length;
    }
}
