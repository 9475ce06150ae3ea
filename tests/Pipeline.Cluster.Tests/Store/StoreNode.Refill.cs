using Pipeline.Cluster.Tests.Refill;
using Pipeline.Storage;

namespace Pipeline.Cluster.Tests.Store;

/// <content>A node that is behind the trim is filled from a peer, piece by piece, while both may crash.</content>
internal sealed partial class StoreNode
{
    private StoreNode? _peer;
    private int _peersLife;
    private IAsyncEnumerator<ReadOnlyMemory<byte>>? _pieces;
    private CopyTarget? _target;
    private uint _frame;

    /// <summary>What the disk had seen when the node last said how much it has.</summary>
    private int _toldAt;

    /// <summary>Whether the process has no store, and gets one.</summary>
    public bool IsFilling { get; private set; }

    /// <summary>Says from which place on this node needs the log. A crash must not undo what that rests on.</summary>
    private void Tell(long place)
    {
        _simulation.Kept[_index] = place;
        _toldAt = _disk.Log.Count;
    }

    private void BeginFilling()
    {
        if (!IsFilling && _position is not null)
            CloseStore();
        IsFilling = true;
        Tell(0);
    }

    /// <summary>The process goes on without a store.</summary>
    private void CloseStore()
    {
        foreach (var (snapshot, _) in _held)
            snapshot.Dispose();
        _held.Clear();
        _calls.Clear();
        _mail.Clear();
        _simulation.EndCopiesOf(this);
        _life++;
        _position!.Dispose();
        _position = null;
        Store.Dispose();
    }

    /// <summary>Takes the next piece of a copy, at some moments.</summary>
    private void Fill()
    {
        var random = _simulation.Random;
        if (_diskFails)
        {
            Restart(losesDisk: false);
            return;
        }
        if (random.Next(2) > 0)
            return;
        try
        {
            if (_pieces is null && !BeginCopy())
                return;
            if (_peer!.Sleeps)
                return;
            if (_peer._life != _peersLife || _peer.IsFilling)
            {
                EndFilling();
                return;
            }
            var next = _pieces!.MoveNextAsync().AsTask();
            if (!next.GetAwaiter().GetResult())
                throw new CopyDamagedException(_frame, "the stream ends before it"); // Its last piece was cut to nothing.
            Take(_pieces.Current.ToArray());
            if (!_target!.IsComplete)
                return;
            _simulation.Refills++;
            EndFilling();
            IsFilling = false;
            Open();
        }
        catch (Exception e) when (e is StorageException or IOException)
        {
            // A damaged copy, a disk without room, or one that fails, here or there.
            EndFilling();
        }
    }

    private bool BeginCopy()
    {
        if (_simulation.DrawPeer(this) is not { } peer)
            return false;
        (_peer, _peersLife) = (peer, peer._life);
        _pieces = new CopySource(peer.Store, [], peer.FindCopyPointAsync, $"{peer._index}-{peer._life}")
            .ReadAsync()
            .GetAsyncEnumerator();
        var faults =
            _simulation.Fault == StoreFault.RefillUnverified ? StorageFaults.IgnoreChecksums : StorageFaults.None;
        _target = new CopyTarget(Options with { Faults = Options.Faults | faults });
        _frame = 0;
        return true;
    }

    private ValueTask<CopyPoint> FindCopyPointAsync(CancellationToken ct)
    {
        var point = Replica.FindCopyPoint() ?? throw new CopyRefusedException($"n{_index}", "it has stopped.");
        if (_simulation.Fault == StoreFault.RefillAtWrongPlace)
            point = point with { Position = point.Position with { Place = point.Position.Place + 1 } };
        return ValueTask.FromResult(point);
    }

    private void Take(byte[] piece)
    {
        var random = _simulation.Random;
        if (_simulation.Log.IsFaulty)
        {
            switch (random.Next(20))
            {
                case 0:
                    piece[random.Next(piece.Length)] ^= (byte)(1 << random.Next(8));
                    break;
                case 1 or 2:
                    CopyDamage.DamagePage(piece, random);
                    break;
                case 3:
                    piece = piece[..random.Next(piece.Length)];
                    break;
            }
        }
        for (var at = 0; at < piece.Length; )
        {
            if (piece.Length - at < CopyFrame.HeaderBytes)
                throw new CopyDamagedException(_frame, "it is cut off");
            var frame = CopyFrame.Read(piece.AsSpan(at), _frame);
            at += CopyFrame.HeaderBytes;
            if (piece.Length - at < frame.Length)
                throw new CopyDamagedException(_frame, "it is cut off");
            var payload = piece.AsSpan(at, frame.Length);
            frame.Verify(payload);
            _target!.Take(frame.Kind, payload);
            at += frame.Length;
            _frame++;
        }
    }

    /// <summary>Gives up a copy of a node.</summary>
    public void EndFillingFrom(StoreNode source)
    {
        if (_peer == source)
            EndFilling();
    }

    private void EndFilling()
    {
        var (target, pieces) = (_target, _pieces);
        (_target, _pieces) = (null, null);
        try
        {
            target?.Dispose();
            pieces?.DisposeAsync().AsTask().GetAwaiter().GetResult();
        }
        catch (Exception e) when (e is StorageException or IOException or ObjectDisposedException)
        {
            _simulation.Trace?.Invoke($"a copy from a peer that is gone: {e.Message}");
        }
        _peer = null;
    }
}
