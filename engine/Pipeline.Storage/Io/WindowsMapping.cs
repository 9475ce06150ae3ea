using Microsoft.Win32.SafeHandles;

namespace Pipeline.Storage;

/// <summary>
/// A mapping of a file on Windows, at one address, with reserved room behind it into which the file's growth is mapped
/// later. The room is released for the moment of that; if another thread's memory is put there in that moment, the
/// growth cannot be shown here. Guarded by the file.
/// </summary>
internal sealed class WindowsMapping : IDisposable
{
    private const long Granularity = 64 << 10;
    private const int Attempts = 16;
    private readonly List<nint> _views;
    private readonly long _room;
    private long _shown;
    private nint _reserved;

    private WindowsMapping(nint view, long shown, long room)
    {
        (Address, _shown, _room) = (view, shown, room);
        _views = [view];
        ReserveRest();
    }

    /// <summary>A mapping of an empty file, which the system cannot map: only its room.</summary>
    private WindowsMapping(nint reserved, long room)
    {
        (Address, _reserved, _room) = (reserved, reserved, room);
        _views = [];
    }

    /// <summary>Where the file's first byte is.</summary>
    public nint Address { get; }

    /// <summary>Maps the file's bytes up to its length; null if the system refuses.</summary>
    public static WindowsMapping? TryMake(SafeFileHandle file, long length, long room)
    {
        if (length == 0)
        {
            var empty = WindowsMethods.Reserve(0, (nint)room);
            return empty == 0 ? null : new WindowsMapping(empty, room);
        }
        for (var attempt = 0; attempt < Attempts && room > length; attempt++)
        {
            var wanted = WindowsMethods.Reserve(0, (nint)room);
            if (wanted == 0)
                break;
            WindowsMethods.Release(wanted);
            var view = WindowsMethods.MapFile(file, 0, 0, wanted);
            if (view != 0)
                return new WindowsMapping(view, length, room);
        }
        var anywhere = WindowsMethods.MapFile(file, 0, 0, 0);
        return anywhere == 0 ? null : new WindowsMapping(anywhere, length, length);
    }

    /// <summary>Shows the file up to a length; false if that cannot be, with all as before.</summary>
    public bool TryShow(SafeFileHandle file, long length)
    {
        if (length <= _shown)
            return true;
        if (length > _room || _shown % Granularity != 0 || _reserved == 0)
            return false;
        WindowsMethods.Release(_reserved);
        _reserved = 0;
        var view = WindowsMethods.MapFile(file, _shown, length - _shown, Address + (nint)_shown);
        if (view != 0)
        {
            _views.Add(view);
            _shown = length;
        }
        ReserveRest();
        return view != 0;
    }

    public void Dispose()
    {
        foreach (var view in _views)
            WindowsMethods.UnmapFile(view);
        _views.Clear();
        if (_reserved != 0)
            WindowsMethods.Release(_reserved);
        _reserved = 0;
    }

    /// <summary>Keeps other memory out of the room. It may fail, and costs then one more mapping.</summary>
    private void ReserveRest()
    {
        if (_room > _shown && _shown % Granularity == 0)
            _reserved = WindowsMethods.Reserve(Address + (nint)_shown, (nint)(_room - _shown));
    }
}
