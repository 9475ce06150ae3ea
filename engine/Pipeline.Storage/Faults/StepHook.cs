using System.Runtime.CompilerServices;

namespace Pipeline.Storage;

/// <summary>
/// Lets a test stop, delay or fail the store between two steps, on the test's own threads. Off unless the switch
/// <c>Pipeline.Storage.StepHook</c> of
/// <see cref="AppContext"/> is set before the first store; the compiler then knows it as a constant, and no code of it
/// is left.
/// </summary>
internal static class StepHook
{
    /// <summary>Whether this process runs tests with hooks.</summary>
    public static readonly bool IsOn = AppContext.TryGetSwitch("Pipeline.Storage.StepHook", out var isOn) && isOn;

    [ThreadStatic]
    private static Action<StorageStep>? _observer;

    /// <summary>Called at each step of the calling thread; its exceptions are thrown there. Null for none.</summary>
    public static Action<StorageStep>? Observer
    {
        get => _observer;
        set => _observer = value;
    }

    /// <summary>Calls the observer, if there can be one.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void At(StorageStep step)
    {
        if (IsOn)
            _observer?.Invoke(step);
    }
}
