using System.Collections.Concurrent;
using System.Globalization;

namespace Pipeline.Client.Transport;

/// <summary>
/// Makes ids from ranges of numbers that the database gives out (HiLo), so that most ids need no request. Thread-safe.
/// </summary>
internal sealed class IdNumbers(IDocumentTransport transport)
{
    private readonly ConcurrentDictionary<string, Numbers> _collections = new(StringComparer.OrdinalIgnoreCase);

    /// <summary>The next id of a collection.</summary>
    public async ValueTask<string> NextAsync(string collection, CancellationToken cancellationToken)
    {
        var numbers = _collections.GetOrAdd(collection, _ => new Numbers());
        while (true)
        {
            if (numbers.Range is { } range && range.TryTake(out var number))
                return range.IdOf(number);
            await numbers.Turn.WaitAsync(cancellationToken).ConfigureAwait(false);
            try
            {
                if (numbers.Range is null or { IsUsed: true })
                {
                    numbers.Range = new Range(
                        await transport
                            .NextRangeAsync(TagOf(collection), numbers.Range?.Size ?? 0, cancellationToken)
                            .ConfigureAwait(false)
                    );
                }
            }
            finally
            {
                numbers.Turn.Release();
            }
        }
    }

    private static string TagOf(string collection) =>
        string.Concat(char.ToLowerInvariant(collection[0]).ToString(), collection.AsSpan(1));

    private sealed class Numbers
    {
        public SemaphoreSlim Turn { get; } = new(1);

        public volatile Range? Range;
    }

    private sealed class Range(IdRange range)
    {
        private long _last = range.Low - 1;

        public long Size => range.High - range.Low + 1;

        public bool IsUsed => Interlocked.Read(ref _last) >= range.High;

        public bool TryTake(out long number) => (number = Interlocked.Increment(ref _last)) <= range.High;

        public string IdOf(long number) =>
            string.Create(CultureInfo.InvariantCulture, $"{range.Prefix}{number}{range.Suffix}");
    }
}
