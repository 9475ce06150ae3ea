using System.Buffers.Binary;
using System.Text;
using Pipeline.Storage;

namespace Pipeline.Documents;

public sealed partial class DocumentTransaction
{
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
