using System.Globalization;
using Pipeline.Client.Advanced;

namespace Pipeline.Client;

/// <summary>Says how a patch changes a list. The changes run in their order.</summary>
public sealed class ListPatch<TItem>
{
    private readonly MemberPatch _patch;
    private readonly string _list;

    internal ListPatch(MemberPatch patch, string list)
    {
        (_patch, _list) = (patch, list);
        patch.Add($"{list} = {list} || []");
    }

    /// <summary>Adds an item at the end.</summary>
    public ListPatch<TItem> Add(TItem item)
    {
        _patch.Add($"{_list}.push({_patch.Argument(item)})");
        return this;
    }

    /// <summary>Adds items at the end.</summary>
    public ListPatch<TItem> Add(params IEnumerable<TItem> items)
    {
        ArgumentNullException.ThrowIfNull(items);
        foreach (var item in items)
            Add(item);
        return this;
    }

    /// <summary>Inserts an item.</summary>
    /// <param name="index">The item's place, from 0; behind the end of the list, the item is added.</param>
    /// <param name="item">The item.</param>
    public ListPatch<TItem> Insert(int index, TItem item)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(index);
        _patch.Add(string.Create(CultureInfo.InvariantCulture, $"{_list}.splice({index}, 0, {_patch.Argument(item)})"));
        return this;
    }

    /// <summary>Removes the item at a place, if there is one.</summary>
    public ListPatch<TItem> RemoveAt(int index)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(index);
        _patch.Add(string.Create(CultureInfo.InvariantCulture, $"{_list}.splice({index}, 1)"));
        return this;
    }

    /// <summary>Removes all items whose JSON equals an item's, with the members in the same order.</summary>
    public ListPatch<TItem> Remove(TItem item)
    {
        _patch.Add($"{_list} = {_list}.filter(x => JSON.stringify(x) !== JSON.stringify({_patch.Argument(item)}))");
        return this;
    }

    /// <summary>Removes all items.</summary>
    public ListPatch<TItem> Clear()
    {
        _patch.Add($"{_list} = []");
        return this;
    }
}
