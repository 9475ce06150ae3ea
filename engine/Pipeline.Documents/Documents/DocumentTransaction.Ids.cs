using System.Globalization;
using System.Text;

namespace Pipeline.Documents;

public sealed partial class DocumentTransaction
{
    /// <summary>
    /// The character between the name and the number in generated ids; at the end of an id it asks for a number. The
    /// default is <c>/</c>.
    /// </summary>
    public char IdSeparator { get; set; } = '/';

    /// <summary>The next number of an identity, counted from 1 and never given twice.</summary>
    /// <param name="prefix">What the ids begin with, without <c>|</c> or <c>/</c>; its case does not matter.</param>
    /// <returns>The number.</returns>
    public long NextIdentity(string prefix) => MoveIdentity(prefix, static last => last + 1);

    /// <summary>Sets the last number of an identity.</summary>
    /// <param name="prefix">As for <see cref="NextIdentity"/>.</param>
    /// <param name="value">The last number that counts as given.</param>
    /// <param name="force">Whether to go back too, so that numbers are given again.</param>
    /// <returns>The last number that counts as given now.</returns>
    public long SeedIdentity(string prefix, long value, bool force = false)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(value);
        return MoveIdentity(prefix, last => force ? value : Math.Max(last, value));
    }

    private long MoveIdentity(string prefix, Func<long, long> move)
    {
        CheckOpen();
        ArgumentException.ThrowIfNullOrEmpty(prefix);
        var utf8 = Encoding.UTF8.GetBytes(DatabaseSnapshot.IdentityPrefix + prefix);
        if (utf8.Length > DocumentKeys.MaxIdBytes)
            throw new InvalidDocumentIdException(prefix, $"it has more than {DocumentKeys.MaxIdBytes} bytes of UTF-8");
        Span<byte> key = stackalloc byte[DocumentKeys.MaxKeyBytes];
        return MetaCounter.Move(_transaction, key[..DocumentKeys.LowerKey(utf8, key)], move);
    }

    /// <summary>Generates an id if the given one asks for it.</summary>
    private string ResolveId(string? id)
    {
        if (string.IsNullOrEmpty(id))
            return _database.NewGuid().ToString();
        if (id.Length > 1 && id[^1] == IdSeparator)
        {
            // Numbered by its position, which each lineage assigns separately: sortable, and unique unless a client
            // chose the same id.
            for (
                var number = (_database.Lineages.Restarts * DatabaseLineages.PositionMargin) + LastPosition + 1;
                ;
                number++
            )
            {
                var made = string.Create(CultureInfo.InvariantCulture, $"{id}{number:D19}-A");
                if (!Exists(made))
                    return made;
            }
        }

        if (id.Length > 1 && id[^1] == '|')
        {
            var prefix = id[..^1];
            while (true)
            {
                var made = string.Create(CultureInfo.InvariantCulture, $"{prefix}{IdSeparator}{NextIdentity(prefix)}");
                if (!Exists(made))
                    return made;
            }
        }

        return id;
    }
}
