"""The compiler: rewrites, digests, and one program for each distinct node."""

from timeline_app.compiler.compile import Compiled, compile_plan
from timeline_app.compiler.program import Program, parse_program, read_program

__all__ = ["Compiled", "Program", "compile_plan", "parse_program", "read_program"]
