using System.Buffers.Binary;
using System.Globalization;
using System.Text;
using Pipeline.Storage;

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
                var number = (_database.Lineages.Restarts * GivenNumbers.PositionMargin) + LastPosition + 1;
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

    private bool Exists(string id)
    {
        Span<byte> utf8 = stackalloc byte[DocumentKeys.MaxIdBytes];
        utf8 = utf8[..DocumentKeys.EncodeId(id, utf8)];
        Span<byte> key = stackalloc byte[DocumentKeys.MaxKeyBytes];
        return _ids.TryGet(key[..DocumentKeys.LowerKey(utf8, key)], out var value)
            && !new IdEntry(value, _database.Name).IsDeleted;
    }

    internal int CollectionNumber(string spelling)
    {
        if (_database.Collections.TryGetNumber(spelling, out var number))
            return number;
        if (_newCollections is not null)
        {
            foreach ((var known, var its, _) in _newCollections)
            {
                if (known == spelling)
                    return its;
            }
        }

        DocumentKeys.CheckCollection(spelling);
        var name = spelling;
        if (CollectionNames.TryFind(_transaction, spelling, out number))
            name = CollectionNames.Name(number, _transaction, _database.Collections, _database.Name);
        else
            number = AddCollection(spelling);
        (_newCollections ??= []).Add((spelling, number, name));
        return number;
    }

    private string CollectionName(int number)
    {
        if (_database.Collections.TryGetName(number, out var name))
            return name;
        return CollectionNames.Name(number, _transaction, _database.Collections, _database.Name);
    }

    private int AddCollection(string name)
    {
        var tree = _transaction.CreateTree(DatabaseTrees.Collections);
        var count = tree.Count / 2;
        if (count >= _database.MaxCollections)
        {
            throw new InvalidCollectionException(
                name,
                $"there are {count} collections already, the most allowed (MaxCollections)"
            );
        }

        var number = (int)count + 1;
        Span<byte> nameKey = stackalloc byte[1 + DocumentKeys.MaxCollectionBytes * 3 / 2];
        Span<byte> bytes = stackalloc byte[4];
        BinaryPrimitives.WriteInt32LittleEndian(bytes, number);
        tree.Put(nameKey[..CollectionNames.NameKey(nameKey, name)], bytes);
        Span<byte> numberKey = stackalloc byte[5];
        CollectionNames.NumberKey(numberKey, number);
        tree.Put(numberKey, Encoding.UTF8.GetBytes(name));
        return number;
    }

    private Tree Live(int number) => Trees(number).Live;

    private Tree Tombstones(int number)
    {
        (var live, var tombstones) = Trees(number);
        if (tombstones is not null)
            return tombstones;
        tombstones = _transaction.CreateTree(DatabaseTrees.Tombstones(number));
        _collectionTrees![number] = (live, tombstones);
        return tombstones;
    }

    private (Tree Live, Tree? Tombstones) Trees(int number)
    {
        _collectionTrees ??= [];
        if (_collectionTrees.TryGetValue(number, out (Tree, Tree?) trees))
            return trees;
        trees = (_transaction.CreateTree(DatabaseTrees.Live(number)), null);
        _collectionTrees[number] = trees;
        return trees;
    }
}
