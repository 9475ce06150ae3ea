using System.Runtime.CompilerServices;

namespace Pipeline.JavaScript;

/// <summary>
/// How much of the thread's stack a script may use. An overflow ends the process, so each statement and each call of a
/// built-in function checks it.
/// </summary>
/// <remarks>
/// <see cref="Reserve"/> covers the code between two checks and the error that ends the run. An exception that is
/// caught and rethrown keeps about 10 KiB per level until it leaves the script. A run gets a new thread if the current
/// one has less stack left than both together.
/// </remarks>
internal static class StackBudget
{
    /// <summary>The budget as an error names it.</summary>
    public const string Size = "640 KiB";

    private const int Budget = 640 * 1024;
    private const int Reserve = 5 << 20;
    private const int Slice = 16 * 1024;
    private const int OwnThreadBytes = 16 << 20;

    // The lowest address that is known to be usable on this thread.
    [ThreadStatic]
    private static nint _known;

    /// <summary>The address that the stack of a run that begins here must stay above.</summary>
    public static nint Floor()
    {
        byte here = 0;
        return Address(ref here) - Budget;
    }

    /// <summary>Whether the stack is still above an address.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool IsAbove(nint floor)
    {
        byte here = 0;
        return Address(ref here) > floor;
    }

    /// <summary>Runs on this thread if its stack is large enough, else on a new thread.</summary>
    public static T Run<T>(Func<T> action)
    {
        byte here = 0;
        var needed = Address(ref here) - Budget - Reserve;
        if (needed >= _known && _known != 0)
            return action();
        if (Reaches(needed))
        {
            _known = needed;
            return action();
        }

        return OnOwnThread(action);
    }

    private static T OnOwnThread<T>(Func<T> action)
    {
        T result = default!;
        System.Runtime.ExceptionServices.ExceptionDispatchInfo? error = null;
        var thread = new Thread(
            () =>
            {
                try
                {
                    result = action();
                }
                catch (Exception e)
                {
                    error = System.Runtime.ExceptionServices.ExceptionDispatchInfo.Capture(e);
                }
            },
            OwnThreadBytes
        )
        {
            IsBackground = true,
            Name = "script",
        };
        thread.Start();
        thread.Join();
        error?.Throw();
        return result;
    }

    /// <summary>Goes down slice by slice, and stops where the runtime says that little is left.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool Reaches(nint address)
    {
        Span<byte> slice = stackalloc byte[Slice];
        slice[0] = 1;
        return RuntimeHelpers.TryEnsureSufficientExecutionStack()
            && (Address(ref slice[0]) <= address || Reaches(address));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static nint Address(ref byte place) => Unsafe.ByteOffset(ref Unsafe.NullRef<byte>(), ref place);
}
