namespace Pipeline.TestKit.Unicode;

/// <summary>
/// A regular language over an alphabet of at most 64 symbols, built from sets of symbols with <see cref="Then"/>,
/// <see cref="Or"/>,
/// <see cref="Many"/> and <see cref="Optional"/>, and made into the smallest deterministic automaton (Thompson's
/// construction, subsets, Moore).
/// </summary>
public sealed class RegularLanguage
{
    private readonly Action<Builder, int, int> _build;

    private RegularLanguage(Action<Builder, int, int> build) => _build = build;

    /// <summary>Any one symbol of the set.</summary>
    public static RegularLanguage Of(ulong symbols) => new((b, from, to) => b.Edges[from].Add((symbols, to)));

    public RegularLanguage Then(RegularLanguage next) =>
        new(
            (b, from, to) =>
            {
                var middle = b.NewState();
                _build(b, from, middle);
                next._build(b, middle, to);
            }
        );

    public RegularLanguage Or(RegularLanguage other) =>
        new(
            (b, from, to) =>
            {
                _build(b, from, to);
                other._build(b, from, to);
            }
        );

    /// <summary>None or more of it.</summary>
    public RegularLanguage Many() =>
        new(
            (b, from, to) =>
            {
                var loop = b.NewState();
                b.Empty[from].Add(loop);
                _build(b, loop, loop);
                b.Empty[loop].Add(to);
            }
        );

    /// <summary>One or more of it.</summary>
    public RegularLanguage Some() => Then(Many());

    public RegularLanguage Optional() =>
        new(
            (b, from, to) =>
            {
                _build(b, from, to);
                b.Empty[from].Add(to);
            }
        );

    /// <summary>
    /// The smallest automaton: [state, symbol] → state. State 0 is the dead one, state 1 the start; the accepting
    /// states are those from
    /// <paramref name="firstAccepting"/> on.
    /// </summary>
    public int[,] ToAutomaton(int symbols, out int firstAccepting)
    {
        var builder = new Builder();
        var (start, end) = (builder.NewState(), builder.NewState());
        _build(builder, start, end);
        var (rows, accepting) = Determine(builder, start, end, symbols);
        var block = Minimise(rows, accepting, symbols, out var blocks);

        var acceptingBlock = new bool[blocks];
        for (var s = 0; s < rows.Count; s++)
            acceptingBlock[block[s]] |= accepting[s];
        var order = Enumerable
            .Range(0, blocks)
            .OrderBy(b =>
                b == block[0] ? 0
                : b == block[1] ? 1
                : acceptingBlock[b] ? 3
                : 2
            )
            .ThenBy(b => Array.IndexOf(block, b))
            .ToList();
        firstAccepting = blocks - acceptingBlock.Count(a => a);
        var automaton = new int[blocks, symbols];
        for (var s = 0; s < rows.Count; s++)
        {
            for (var symbol = 0; symbol < symbols; symbol++)
                automaton[order.IndexOf(block[s]), symbol] = order.IndexOf(block[rows[s][symbol]]);
        }

        return automaton;
    }

    private static (List<int[]> Rows, List<bool> Accepting) Determine(Builder builder, int start, int end, int symbols)
    {
        var numbers = new Dictionary<string, int>();
        var (subsets, rows, accepting) = (new List<SortedSet<int>>(), new List<int[]>(), new List<bool>());
        int Number(SortedSet<int> subset)
        {
            var key = string.Join(',', subset);
            if (numbers.TryGetValue(key, out var known))
                return known;
            numbers.Add(key, subsets.Count);
            subsets.Add(subset);
            rows.Add(new int[symbols]);
            accepting.Add(subset.Contains(end));
            return subsets.Count - 1;
        }

        Number([]);
        Number(builder.Closure([start]));
        for (var s = 1; s < subsets.Count; s++)
        {
            for (var symbol = 0; symbol < symbols; symbol++)
            {
                var next = subsets[s]
                    .SelectMany(n => builder.Edges[n])
                    .Where(e => (e.Symbols >> symbol & 1) != 0)
                    .Select(e => e.To);
                rows[s][symbol] = Number(builder.Closure(next));
            }
        }

        return (rows, accepting);
    }

    private static int[] Minimise(List<int[]> rows, List<bool> accepting, int symbols, out int blocks)
    {
        var block = accepting.Select(a => a ? 1 : 0).ToArray();
        blocks = 2;
        while (true)
        {
            var numbers = new Dictionary<string, int>();
            var finer = new int[rows.Count];
            for (var s = 0; s < rows.Count; s++)
            {
                var key =
                    block[s]
                    + ":"
                    + string.Join(',', Enumerable.Range(0, symbols).Select(symbol => block[rows[s][symbol]]));
                if (!numbers.TryGetValue(key, out finer[s]))
                    numbers.Add(key, finer[s] = numbers.Count);
            }

            if (numbers.Count == blocks)
                return finer;
            (block, blocks) = (finer, numbers.Count);
        }
    }

    private sealed class Builder
    {
        public List<List<(ulong Symbols, int To)>> Edges { get; } = [];

        public List<List<int>> Empty { get; } = [];

        public int NewState()
        {
            Edges.Add([]);
            Empty.Add([]);
            return Edges.Count - 1;
        }

        public SortedSet<int> Closure(IEnumerable<int> states)
        {
            var closure = new SortedSet<int>(states);
            var waiting = new Stack<int>(closure);
            while (waiting.TryPop(out var state))
            {
                foreach (var next in Empty[state])
                {
                    if (closure.Add(next))
                        waiting.Push(next);
                }
            }

            return closure;
        }
    }
}
